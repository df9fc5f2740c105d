//! Whose trace a request belongs to: W3C's `traceparent` and `tracestate`.

/// The longest `tracestate` that everyone must carry on.
const LONGEST_STATE: usize = 512;

/// Where the client's own span stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parent<'a> {
    pub(super) trace_id: &'a str,
    pub(super) span_id: &'a str,
}

impl<'a> Parent<'a> {
    /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`; anything else is nobody's.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut parts = text.splitn(5, '-');
        let version = digits(parts.next()?, 2)?;
        let trace_id = digits(parts.next()?, 32)?;
        let span_id = digits(parts.next()?, 16)?;
        digits(parts.next()?, 2)?;
        // Later versions may add to it; the first has four parts.
        let has_more = parts.next().is_some();
        let is_known = version != "ff" && !(version == "00" && has_more);
        let is_named = [trace_id, span_id].iter().all(|id| id.bytes().any(|byte| byte != b'0'));
        (is_known && is_named).then_some(Self { trace_id, span_id })
    }
}

/// What is carried on beside the parent.
pub(super) fn state(text: &str) -> Option<&str> {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    (is_plain && !text.is_empty() && text.len() <= LONGEST_STATE).then_some(text)
}

fn digits(text: &str, count: usize) -> Option<&str> {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (text.len() == count && text.bytes().all(is_digit)).then_some(text)
}

/// An id of so many bytes, as digits. Without randomness there is none: nobody is kept from calling.
pub(super) fn random_id<const BYTES: usize>() -> Option<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).ok()?;
    Some(model::hex_digits(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn only_a_traceparent_is_taken_for_one() {
        let parent = Some(Parent { trace_id: TRACE, span_id: SPAN });
        let zeros = "0".repeat(32);
        for (text, expected) in [
            (format!("00-{TRACE}-{SPAN}-01"), &parent),
            (format!("00-{TRACE}-{SPAN}-00"), &parent),
            (format!("cc-{TRACE}-{SPAN}-01-what-comes-later"), &parent),
            (format!("00-{TRACE}-{SPAN}-01-more"), &None),
            (format!("ff-{TRACE}-{SPAN}-01"), &None),
            (format!("00-{zeros}-{SPAN}-01"), &None),
            (format!("00-{TRACE}-{}-01", &zeros[..16]), &None),
            (format!("00-{}-{SPAN}-01", TRACE.to_uppercase()), &None),
            (format!("00-{TRACE}-{SPAN}"), &None),
            (format!("00-{TRACE}\n-{SPAN}-01"), &None),
            (format!(" 00-{TRACE}-{SPAN}-01"), &None),
            (String::new(), &None),
        ] {
            assert_eq!(Parent::read(&text), *expected, "{text:?}");
        }
    }

    #[test]
    fn a_tracestate_is_short_and_plain() {
        let long = "a".repeat(LONGEST_STATE + 1);
        for (text, expected) in [
            ("vendor=1,other=2", Some("vendor=1,other=2")),
            ("", None),
            ("a=1\nb=2", None),
            (long.as_str(), None),
        ] {
            assert_eq!(state(text), expected, "{text:?}");
        }
    }

    #[test]
    fn ids_are_digits() {
        let id = random_id::<8>().unwrap();
        assert_eq!(digits(&id, 16), Some(id.as_str()));
        assert_ne!(random_id::<16>(), random_id::<16>());
    }
}
