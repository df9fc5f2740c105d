//! XChaCha20-Poly1305: a random nonce of 24 bytes needs no counter that processes would share.

use crate::VaultError;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, Zeroizing};

pub(crate) const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
/// The first byte of everything sealed.
pub(crate) const FORMAT: u8 = 1;

/// A key, of a row or of all of them. It is not printed, and does not stay in memory.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key([u8; KEY_BYTES]);

impl Drop for Key {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// Why something does not open.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shut {
    Format(u8),
    /// Cut off, changed, another key or another place: which of these, nobody can tell.
    Broken,
}

impl Key {
    pub(crate) fn random() -> Result<Self, VaultError> {
        random().map(Self)
    }

    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A name that tells keys apart and nothing else about them.
    pub(crate) fn kid(&self) -> String {
        let mut digest = Sha256::new();
        digest.update(b"larkspur vault key");
        digest.update(self.0);
        let digest = digest.finalize();
        let name = digest.first_chunk::<8>().copied().unwrap_or_default();
        format!("{:016x}", u64::from_be_bytes(name))
    }

    /// Format, nonce, then what it became; opens only with the same `bound`.
    pub(crate) fn seal(&self, bound: &[u8], text: &[u8]) -> Result<Vec<u8>, VaultError> {
        let nonce: [u8; NONCE_BYTES] = random()?;
        let payload = Payload { msg: text, aad: bound };
        let cipher = XChaCha20Poly1305::new(&self.0.into());
        let sealed = cipher.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| VaultError::Bundle("this is too long to seal".into()))?;
        Ok([&[FORMAT][..], &nonce, &sealed].concat())
    }

    pub(crate) fn open(&self, bound: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Shut> {
        let (format, rest) = sealed.split_first().ok_or(Shut::Broken)?;
        if *format != FORMAT {
            return Err(Shut::Format(*format));
        }
        let (nonce, msg) = rest.split_first_chunk::<NONCE_BYTES>().ok_or(Shut::Broken)?;
        let cipher = XChaCha20Poly1305::new(&self.0.into());
        let opened = cipher.decrypt(&XNonce::from(*nonce), Payload { msg, aad: bound });
        opened.map(Zeroizing::new).map_err(|_| Shut::Broken)
    }
}

pub(crate) fn random<const N: usize>() -> Result<[u8; N], VaultError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| VaultError::Random(error.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_with_the_same_key_and_place_only() {
        let key = Key::random().unwrap();
        let sealed = key.seal(b"here", b"text").unwrap();
        assert_eq!(**key.open(b"here", &sealed).unwrap(), *b"text");
        assert_eq!(key.open(b"there", &sealed), Err(Shut::Broken));
        let other = Key::random().unwrap();
        assert_eq!(other.open(b"here", &sealed), Err(Shut::Broken));
        for end in 0..sealed.len() {
            assert_eq!(key.open(b"here", &sealed[..end]), Err(Shut::Broken), "{end}");
        }
        for at in 1..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(key.open(b"here", &changed), Err(Shut::Broken), "{at}");
        }
        let mut newer = sealed.clone();
        newer[0] = 2;
        assert_eq!(key.open(b"here", &newer), Err(Shut::Format(2)));
        assert_ne!(sealed, key.seal(b"here", b"text").unwrap());
    }

    /// Vector of draft-irtf-cfrg-xchacha-03, A.3.1, so that others can open what we seal.
    #[test]
    fn it_is_the_cipher_that_others_mean() {
        let key: Vec<u8> = (0x80..=0x9f).collect();
        let key = Key::of(&key).unwrap();
        let nonce: Vec<u8> = (0x40..=0x57).collect();
        let bound = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7];
        let text = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip \
                    for the future, sunscreen would be it.";
        let expected = "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb\
                        731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452\
                        2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9\
                        21f9664c97637da9768812f615c68b13b52e\
                        c0875924c1c7987947deafd8780acf49";
        let expected: Vec<u8> = (0..expected.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&expected[at..at + 2], 16).unwrap())
            .collect();
        let sealed = [&[FORMAT][..], &nonce, &expected].concat();
        assert_eq!(**key.open(&bound, &sealed).unwrap(), *text.as_bytes());
    }
}
