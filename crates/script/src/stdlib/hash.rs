//! `hash`: digests of text, in hex. Called itself, as `hash("text")`, it is Starlark's own function.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use crate::stdlib::prelude::*;
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use model::hex_digits as digits;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use starlark::eval::Arguments;

/// So many bytes are taken in between two looks at the clock.
const PIECE: usize = 64 << 10;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    builder.set("hash", Hash());
}

/// Hands a text over piece by piece: a long one must not outlast the call's time.
fn feed(
    text: &str,
    eval: &Evaluator<'_, '_, '_>,
    mut take: impl FnMut(&[u8]),
) -> anyhow::Result<()> {
    let gauge = &Cx::of(eval)?.gauge;
    gauge.text(text.len(), "a text")?;
    for piece in text.as_bytes().chunks(PIECE) {
        gauge.in_time()?;
        take(piece);
    }
    Ok(())
}

fn hex<D: Digest>(text: &str, eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<String> {
    let mut digest = D::new();
    feed(text, eval, |piece| digest.update(piece))?;
    Ok(digits(&digest.finalize()))
}

native_value! {
    pub(crate) struct Hash();
    Hash: "hash", |_, f| f.write_str("hash"), METHODS = methods;

    /// The number that Starlark's specification gives a text: Java's, over UTF-16.
    fn invoke(
        &self,
        _me: Value<'v>,
        args: &Arguments<'v, '_>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        args.no_named_args()?;
        let [text] = args.positional(eval.heap())?;
        let text = <&str>::unpack_named_param(text, "x")?;
        let add = |sum: i32, unit: u16| sum.wrapping_mul(31).wrapping_add(i32::from(unit));
        Ok(eval.heap().alloc(text.encode_utf16().fold(0, add)))
    }
}

macro_rules! digests {
    ($($(#[$doc:meta])* $name:ident => $digest:ty;)*) => {
        /// Digests of texts, in hexadecimal digits.
        #[starlark_module]
        fn methods(builder: &mut MethodsBuilder) {
            $($(#[$doc])*
            fn $name<'v>(
                #[starlark(this)] _this: Value<'v>,
                #[starlark(require = pos)] s: &str,
                eval: &mut Evaluator<'v, '_, '_>,
            ) -> anyhow::Result<String> {
                hex::<$digest>(s, eval)
            })*

            /// The HMAC-SHA-256 of a text: it comes from somebody who has the key.
            ///
            /// Examples:
            /// ```python
            /// >>> hash.hmac_sha256("key", "hello")
            /// "9307b3b915efb5171ff14d8cb55fbcc798c6c0ef1456d66ded1a6aa723a58b7b"
            /// ```
            fn hmac_sha256<'v>(
                #[starlark(this)] _this: Value<'v>,
                #[starlark(require = pos)] key: &str,
                #[starlark(require = pos)] s: &str,
                eval: &mut Evaluator<'v, '_, '_>,
            ) -> anyhow::Result<String> {
                Cx::of(eval)?.gauge.text(key.len(), "a key")?;
                let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes());
                let mut mac = mac.map_err(|why| anyhow::anyhow!("{why}"))?;
                feed(s, eval, |piece| mac.update(piece))?;
                Ok(digits(&mac.finalize().into_bytes()))
            }
        }
    };
}

digests! {
    /// The SHA-256 digest of a text.
    ///
    /// Examples:
    /// ```python
    /// >>> hash.sha256("hello")
    /// "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    /// ```
    sha256 => Sha256;

    /// The SHA-512 digest of a text.
    ///
    /// Examples:
    /// ```python
    /// >>> hash.sha512("hello")[:16]
    /// "9b71d224bd62f378"
    /// ```
    sha512 => Sha512;

    /// The SHA-1 digest of a text, for what others chose it for: it no longer withstands an attacker.
    ///
    /// Examples:
    /// ```python
    /// >>> hash.sha1("hello")
    /// "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"
    /// ```
    sha1 => Sha1;

    /// The MD5 digest of a text, for what others chose it for: it no longer withstands an attacker.
    ///
    /// Examples:
    /// ```python
    /// >>> hash.md5("hello")
    /// "5d41402abc4b2a76b9719d911017c592"
    /// ```
    md5 => Md5;
}
