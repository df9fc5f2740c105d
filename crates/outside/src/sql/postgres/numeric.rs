//! `numeric` as text with every digit, as the server itself writes it.

use super::raw::{Raw, Short};
use std::fmt::Write;

const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xC000;
const INFINITY: u16 = 0xD000;
const MINUS_INFINITY: u16 = 0xF000;

/// Four decimal digits at a time, the first of them times 10000 to the power of `weight`.
pub(super) fn text(raw: &[u8]) -> Result<String, Short> {
    let mut raw = Raw(raw);
    let count = raw.u16()?;
    let weight = raw.i16()?;
    let sign = raw.u16()?;
    let scale = usize::from(raw.u16()?);
    match sign {
        NAN => return Ok("NaN".into()),
        INFINITY => return Ok("Infinity".into()),
        MINUS_INFINITY => return Ok("-Infinity".into()),
        _ => {}
    }
    let digits: Result<Vec<u16>, Short> = (0..count).map(|_| raw.u16()).collect();
    let digits = digits?;
    let group = |power: i32| {
        let index = usize::try_from(i32::from(weight) - power).ok();
        index.and_then(|index| digits.get(index)).copied().unwrap_or(0)
    };
    let mut text = String::from(if sign == NEGATIVE { "-" } else { "" });
    let highest = i32::from(weight).max(0);
    // Writing to a string does not fail.
    let _ = write!(text, "{}", group(highest));
    for power in (0..highest).rev() {
        let _ = write!(text, "{:04}", group(power));
    }
    if scale > 0 {
        let mut fraction = String::new();
        for power in 1.. {
            if fraction.len() >= scale {
                break;
            }
            let _ = write!(fraction, "{:04}", group(-power));
        }
        text.push('.');
        text.push_str(&fraction[..scale]);
    }
    Ok(text)
}
