//! Sizes as people write them.

const UNITS: [(&str, usize); 4] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// `16MiB`, `512 KiB`, or a number of bytes; never nothing.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let given = text.trim();
    let split = given.find(|c: char| !c.is_ascii_digit()).unwrap_or(given.len());
    let (number, unit) = given.split_at(split);
    let unit = unit.trim();
    let scale = UNITS.iter().find(|(name, _)| unit.is_empty() || name.eq_ignore_ascii_case(unit));
    let size = number.parse().ok().zip(scale);
    match size.and_then(|(n, (_, scale))| usize::checked_mul(n, *scale)) {
        Some(0) | None => Err(format!("`{text}` is not a size; write `64KiB`, `16MiB` or `1GiB`")),
        Some(size) => Ok(size),
    }
}

/// `10 MiB`, `1500 bytes`: the largest unit that it is a whole number of.
pub fn show_size(bytes: usize) -> String {
    let mut units = UNITS[1..].iter().rev();
    match units.find(|(_, scale)| bytes > 0 && bytes.is_multiple_of(*scale)) {
        Some((unit, scale)) => format!("{} {unit}", bytes / scale),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown() {
        for (bytes, shown) in [
            (0, "0 bytes"),
            (1500, "1500 bytes"),
            (2 << 10, "2 KiB"),
            (10 << 20, "10 MiB"),
            ((10 << 20) + 1024, "10241 KiB"),
            (1 << 30, "1 GiB"),
        ] {
            assert_eq!(show_size(bytes), shown);
        }
    }

    #[test]
    fn sizes_are_read() {
        let check = |text: &str, bytes: Option<usize>| {
            assert_eq!(parse_size(text).ok(), bytes, "{text}");
        };
        check("16MiB", Some(16 << 20));
        check("512 kib", Some(512 << 10));
        check("1GiB", Some(1 << 30));
        check("100", Some(100));
        check("100B", Some(100));
        check("0", None);
        check("16MB", None);
        check("1.5MiB", None);
        check("-1", None);
        check("99999999999GiB", None);
        assert_eq!(
            parse_size("16MB").unwrap_err(),
            "`16MB` is not a size; write `64KiB`, `16MiB` or `1GiB`"
        );
    }
}
