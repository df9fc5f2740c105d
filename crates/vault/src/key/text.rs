//! Keys as text: one a line, as base64 or hex; what begins with `#` is a remark.

use crate::cipher::Key;
use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

/// All of them, or nothing if one is no key.
pub(super) fn keys(text: &str) -> Option<Vec<Key>> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(key).collect()
}

/// The same text with one more.
pub(super) fn with(before: &str, key: &Key) -> Zeroizing<String> {
    let mut text = Zeroizing::new(before.trim_end().to_owned());
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&BASE64_STANDARD.encode(key.bytes()));
    text.push('\n');
    text
}

fn key(text: &str) -> Option<Key> {
    let bytes = if text.len() == 64 {
        hex(text)?
    } else {
        [STANDARD, URL_SAFE].iter().find_map(|alphabet| base64(alphabet, text))?
    };
    Key::of(&bytes)
}

fn base64(alphabet: &base64::alphabet::Alphabet, text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let lenient =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engine = GeneralPurpose::new(alphabet, lenient);
    engine.decode(text).ok().map(Zeroizing::new)
}

fn hex(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect::<Option<Vec<u8>>>().map(Zeroizing::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_however_it_is_written() {
        let bytes: Vec<u8> = (224..=255).collect();
        let key = Key::of(&bytes).unwrap();
        let standard = BASE64_STANDARD.encode(&bytes);
        let url = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(&bytes);
        let hex = "E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF".to_owned();
        assert!(standard.contains('/') && url.contains('_'));
        for text in [&standard, &url, &hex] {
            assert!(keys(&format!("# mine\n\n  {text}  \n")).unwrap() == [key.clone()]);
        }
        for wrong in ["", "# nothing", "AAAA", "not a key", &hex[2..], &"zz".repeat(32)] {
            assert!(keys(wrong).is_none_or(|keys| keys.is_empty()), "{wrong}");
        }
        let two = with(&standard, &Key::random().unwrap());
        assert_eq!(keys(&two).unwrap().len(), 2);
        assert!(keys(&format!("{standard}\nbroken")).is_none());
    }
}
