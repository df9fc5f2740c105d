//! A secret that clients show with every request.

use std::fmt;
use subtle::ConstantTimeEq;

const RANDOM_BYTES: usize = 32;

#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// One that somebody has chosen; a short one could be guessed.
    pub fn new(text: String) -> Result<Self, String> {
        let shortest = RANDOM_BYTES;
        if text.len() < shortest {
            return Err(format!("a token has {shortest} characters or more"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("a token has no blanks, and letters of ASCII only".into());
        }
        Ok(Self(text))
    }

    pub fn random() -> Result<Self, String> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| format!("no token can be made: {error}"))?;
        Ok(Self(model::hex_digits(&bytes)))
    }

    /// Takes as long for a nearly right one as for any other.
    pub(crate) fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }

    /// For the one who starts the server, and nobody else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}
