//! `time`: seconds since 1970, and dates as people write them. Whole numbers stay exact.

use super::duration::span;
use super::show;
use crate::stdlib::prelude::*;
use anyhow::anyhow;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime, Config, PosixCustom};
use jiff::tz::TimeZone;
use starlark::values::float::UnpackFloat;

/// Bytes of a time or of a format, whose every four can become hundreds.
const LONGEST: usize = 1_000;
const NO_ZONES: &str =
    "zones are not known by name; give the offset, as in `2026-07-28T12:00:00+02:00` or with `%z`";

/// Seconds since 1970, and dates as people write them.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// Whole seconds since 1970.
    ///
    /// Examples:
    /// ```python
    /// >>> time.now()
    /// 1785240000
    /// ```
    fn now(eval: &mut Evaluator<'_, '_, '_>) -> anyhow::Result<i64> {
        Ok(Cx::host(eval)?.now_ms().div_euclid(1000))
    }

    /// Milliseconds since 1970.
    ///
    /// Examples:
    /// ```python
    /// >>> time.now_ms()
    /// 1785240000999
    /// ```
    fn now_ms(eval: &mut Evaluator<'_, '_, '_>) -> anyhow::Result<i64> {
        Ok(Cx::host(eval)?.now_ms())
    }

    /// Waits: so many seconds, or as long as a text such as `"500ms"` says.
    ///
    /// The time is the call's own: it ends no later than its `timeout`, and at once when the call is
    /// cancelled. In tests nobody waits.
    ///
    /// Examples:
    /// ```python
    /// >>> time.sleep(0.5)
    /// None
    /// ```
    fn sleep<'v>(
        #[starlark(require = pos)] time: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let time = span("time.sleep", time)?;
        let host = Cx::host(eval)?;
        let gauge = &Cx::of(eval)?.gauge;
        host.sleep(time, &gauge.leash());
        gauge.in_time()?;
        Ok(NoneType)
    }

    /// The seconds since 1970 that a text stands for.
    ///
    /// Without a format it is read as ISO 8601 or RFC 3339; a format has `%Y`, `%m`, `%d`, `%H`, `%M`,
    /// `%S`, `%z` and the like. A time without an offset is taken for UTC, a date alone for its
    /// beginning; a zone by name is an error, unless the offset stands beside it. A whole number, or a
    /// float if there are parts of a second.
    ///
    /// Examples:
    /// ```python
    /// >>> time.parse("2026-07-28T12:00:00+02:00")
    /// 1785232800
    /// >>> time.parse("28.07.2026", "%d.%m.%Y")
    /// 1785196800
    /// >>> time.parse("2026-07-28T12:00:00[Europe/Paris]")
    /// error: time.parse: `2026-07-28T12:00:00[Europe/Paris]`: zones are not known by name; give the offset, as in `2026-07-28T12:00:00+02:00` or with `%z`
    /// >>> time.parse("1970-01-01T00:01:00.5Z")
    /// 60.5
    /// ```
    fn parse<'v>(
        #[starlark(require = pos)] s: &str,
        format: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let format = template(format)?;
        if s.len() > LONGEST {
            bail!("time.parse: {} bytes; a time may have {LONGEST}", s.len());
        }
        let time = match format {
            None => standard(s).map_err(|why| anyhow!("time.parse: `{s}`: {why}"))?,
            Some(format) => formatted(s, format)
                .map_err(|why| anyhow!("time.parse: `{s}` by `{format}`: {why}"))?,
        };
        Ok(seconds_of(time, eval.heap()))
    }

    /// A time as text, in UTC.
    ///
    /// Without a format it is RFC 3339; a format has `%Y`, `%m`, `%d`, `%H`, `%M`, `%S`, `%A`, `%B` and
    /// the like.
    ///
    /// Examples:
    /// ```python
    /// >>> time.format(0)
    /// "1970-01-01T00:00:00Z"
    /// >>> time.format(1785240000, "%d %B %Y, %H:%M")
    /// "28 July 2026, 12:00"
    /// ```
    fn format<'v>(
        #[starlark(require = pos)] seconds: Value<'v>,
        format: Option<Value<'v>>,
    ) -> anyhow::Result<String> {
        let time = Number::of("time.format", seconds)?.timestamp()?;
        match template(format)? {
            None => Ok(time.to_string()),
            Some(format) => {
                // `%c`, `%x`, `%X` and `%r` as C and Python write them.
                let config = Config::new().custom(PosixCustom::new());
                BrokenDownTime::from(&time.to_zoned(TimeZone::UTC))
                    .to_string_with_config(&config, microseconds(format))
                    .map_err(|why| anyhow!("time.format: `{format}`: {why}"))
            }
        }
    }

    /// A time so much later, or earlier with numbers below zero. A day has 24 hours.
    ///
    /// Examples:
    /// ```python
    /// >>> time.add(0, days = 1, hours = -1)
    /// 82800
    /// >>> time.format(time.add(time.now(), days = -7), "%d.%m.%Y")
    /// "21.07.2026"
    /// ```
    fn add<'v>(
        #[starlark(require = pos)] time: Value<'v>,
        #[starlark(require = named)] days: Option<Value<'v>>,
        #[starlark(require = named)] hours: Option<Value<'v>>,
        #[starlark(require = named)] minutes: Option<Value<'v>>,
        #[starlark(require = named)] seconds: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let mut sum = Number::of("time.add", time)?;
        let parts = [(days, 86_400), (hours, 3_600), (minutes, 60), (seconds, 1)];
        for (value, unit) in parts {
            if let Some(value) = value {
                sum = sum.plus(Number::of("time.add", value)?, unit)?;
            }
        }
        Ok(match sum {
            Number::Int(int) => eval.heap().alloc(int),
            Number::Float(float) => eval.heap().alloc(float),
        })
    }
}

#[derive(Clone, Copy)]
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn of(what: &str, value: Value<'_>) -> anyhow::Result<Self> {
        if value.get_type() == "int" {
            return match i64::unpack_value(value) {
                Ok(Some(int)) => Ok(Self::Int(int)),
                _ => bail!("{what}: {value} is too large for a time"),
            };
        }
        match UnpackFloat::unpack_value(value) {
            Ok(Some(UnpackFloat(float))) if float.is_finite() => Ok(Self::Float(float)),
            _ => bail!("{what}: {} is no number of seconds", show::quoted(value)),
        }
    }

    fn plus(self, count: Self, unit: i32) -> anyhow::Result<Self> {
        match (self, count) {
            (Self::Int(sum), Self::Int(count)) => {
                let more = count.checked_mul(unit.into());
                let sum = more.and_then(|more| sum.checked_add(more));
                sum.map(Self::Int).ok_or_else(|| anyhow!("time.add: the time is too far away"))
            }
            (sum, count) => Ok(Self::Float(count.float().mul_add(unit.into(), sum.float()))),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "asked for only beside floats")]
    fn float(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }

    /// A float is good for microseconds.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "what is too far away saturates, and is refused"
    )]
    fn timestamp(self) -> anyhow::Result<Timestamp> {
        let time = match self {
            Self::Int(seconds) => Timestamp::from_second(seconds),
            Self::Float(seconds) => Timestamp::from_microsecond((seconds * 1e6).round() as i64),
        };
        time.map_err(|_| {
            anyhow!("time.format: {} lies outside the years that have dates", self.float())
        })
    }
}

fn seconds_of(time: Timestamp, heap: Heap<'_>) -> Value<'_> {
    if time.subsec_nanosecond() == 0 {
        return heap.alloc(time.as_second());
    }
    // By way of digits: no float holds that many nanoseconds, and dividing would round twice.
    let (nanoseconds, whole) = (time.as_nanosecond(), 1_000_000_000);
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let (seconds, rest) = (nanoseconds.abs() / whole, nanoseconds.abs() % whole);
    let digits = format!("{sign}{seconds}.{rest:09}");
    heap.alloc(digits.parse().unwrap_or(f64::NAN))
}

fn template(format: Option<Value<'_>>) -> anyhow::Result<Option<&str>> {
    let Some(format) = format.filter(|format| !format.is_none()) else {
        return Ok(None);
    };
    match format.unpack_str() {
        Some(format) if format.len() > LONGEST => {
            bail!("a format of {} bytes; it may have {LONGEST}", format.len())
        }
        Some(format) => Ok(Some(format)),
        None => bail!("format must be a string such as \"%Y-%m-%d\", not a {}", format.get_type()),
    }
}

/// Milliseconds since 1970 that a text stands for.
pub(crate) fn milliseconds(s: &str) -> anyhow::Result<i64> {
    standard(s).map(Timestamp::as_millisecond)
}

fn standard(s: &str) -> anyhow::Result<Timestamp> {
    let s = s.trim();
    // What has an offset is an instant; the other's complaint would be about the missing one.
    if let Ok(time) = s.parse::<Timestamp>() {
        return Ok(time);
    }
    let time = s.parse()?;
    if s.contains('[') {
        bail!(NO_ZONES);
    }
    Ok(utc(time)?)
}

fn formatted(s: &str, format: &str) -> anyhow::Result<Timestamp> {
    let parts = strtime::parse(format, s)?;
    if parts.offset().is_some() || parts.timestamp().is_some() {
        return Ok(parts.to_timestamp()?);
    }
    if parts.iana_time_zone().is_some() {
        bail!(NO_ZONES);
    }
    Ok(utc(parts.to_datetime()?)?)
}

/// Python's `%f` has six digits.
fn microseconds(format: &str) -> String {
    let mut parts = format.split("%%").map(|part| part.replace("%f", "%6f"));
    let first = parts.next().unwrap_or_default();
    parts.fold(first, |whole, part| whole + "%%" + &part)
}

fn utc(time: DateTime) -> Result<Timestamp, jiff::Error> {
    TimeZone::UTC.to_timestamp(time)
}
