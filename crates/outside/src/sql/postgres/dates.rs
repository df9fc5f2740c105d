//! Dates and times as ISO 8601, in the words that the server reads back: it counts from 2000-01-01.

use super::raw::{Raw, Short};

const DAY: i64 = 86_400_000_000;
/// Days from 0000-03-01, with which the calendar's count begins, to 2000-01-01.
const SHIFT: i64 = 730_425;

pub(super) fn date(raw: &[u8]) -> Result<String, Short> {
    Ok(match Raw(raw).i32()? {
        i32::MAX => "infinity".into(),
        i32::MIN => "-infinity".into(),
        days => {
            let (date, before) = civil(days.into());
            format!("{date}{before}")
        }
    })
}

pub(super) fn time(raw: &[u8]) -> Result<String, Short> {
    Ok(clock(Raw(raw).i64()?))
}

/// The zone counts seconds west of Greenwich.
pub(super) fn time_with_zone(raw: &[u8]) -> Result<String, Short> {
    let mut raw = Raw(raw);
    let time = clock(raw.i64()?);
    let zone = -raw.i32()?;
    let sign = if zone < 0 { '-' } else { '+' };
    let (hours, rest) = (zone.abs() / 3600, zone.abs() % 3600);
    let seconds = match rest % 60 {
        0 => String::new(),
        seconds => format!(":{seconds:02}"),
    };
    Ok(format!("{time}{sign}{hours:02}:{:02}{seconds}", rest / 60))
}

/// `zone` is `Z` for a moment, nothing for what a clock on some wall shows.
pub(super) fn timestamp(raw: &[u8], zone: &str) -> Result<String, Short> {
    Ok(match Raw(raw).i64()? {
        i64::MAX => "infinity".into(),
        i64::MIN => "-infinity".into(),
        micros => {
            let (date, before) = civil(micros.div_euclid(DAY));
            format!("{date}T{}{zone}{before}", clock(micros.rem_euclid(DAY)))
        }
    })
}

/// Months, days and time are three counts: a month has no length, and a day may have 23 hours.
pub(super) fn interval(raw: &[u8]) -> Result<String, Short> {
    let mut raw = Raw(raw);
    let (micros, days, months) = (raw.i64()?, raw.i32()?, raw.i32()?);
    match (micros, days, months) {
        (i64::MAX, i32::MAX, i32::MAX) => return Ok("infinity".into()),
        (i64::MIN, i32::MIN, i32::MIN) => return Ok("-infinity".into()),
        _ => {}
    }
    let part = |count: i64, unit: char| match count {
        0 => String::new(),
        count => format!("{count}{unit}"),
    };
    let date =
        [part((months / 12).into(), 'Y'), part((months % 12).into(), 'M'), part(days.into(), 'D')];
    let time = [
        part(micros / 3_600_000_000, 'H'),
        part(micros / 60_000_000 % 60, 'M'),
        seconds(micros % 60_000_000),
    ];
    Ok(match (date.concat(), time.concat()) {
        (date, time) if date.is_empty() && time.is_empty() => "PT0S".into(),
        (date, time) if time.is_empty() => format!("P{date}"),
        (date, time) => format!("P{date}T{time}"),
    })
}

fn seconds(micros: i64) -> String {
    if micros == 0 {
        return String::new();
    }
    let sign = if micros < 0 { "-" } else { "" };
    let micros = micros.abs();
    format!("{sign}{}{}S", micros / 1_000_000, fraction(micros % 1_000_000))
}

fn clock(micros: i64) -> String {
    let seconds = micros / 1_000_000;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let fraction = fraction(micros % 1_000_000);
    format!("{hours:02}:{minutes:02}:{:02}{fraction}", seconds % 60)
}

/// As many digits as it takes, like the server.
fn fraction(micros: i64) -> String {
    if micros == 0 {
        return String::new();
    }
    let digits = format!(".{micros:06}");
    digits.trim_end_matches('0').to_owned()
}

/// The date some days after 2000-01-01, and ` BC` if it is one. Years begin in March here, so that
/// the leap day is the last of one, and eras of 400 years are all alike.
fn civil(days: i64) -> (String, &'static str) {
    let days = days + SHIFT;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    // The year before 1 is 1 BC.
    let (year, before) = if year > 0 { (year, "") } else { (1 - year, " BC") };
    (format!("{year:04}-{month:02}-{day:02}"), before)
}
