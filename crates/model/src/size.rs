//! Sizes as people write them.

const UNITS: [(&str, usize); 4] = [
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

/// `16MiB`, `512 KiB`, or a number of bytes; never nothing.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let given = text.trim();
    let split = given
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(given.len());
    let (number, unit) = given.split_at(split);
    let unit = unit.trim();
    let scale = UNITS
        .iter()
        .find(|(name, _)| unit.is_empty() || name.eq_ignore_ascii_case(unit));
    let size = number.parse().ok().zip(scale);
    match size.and_then(|(n, (_, scale))| usize::checked_mul(n, *scale)) {
        Some(0) | None => Err(format!(
            "`{text}` is not a size; write `64KiB`, `16MiB` or `1GiB`"
        )),
        Some(size) => Ok(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
