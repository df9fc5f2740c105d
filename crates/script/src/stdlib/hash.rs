//! `hash`: digests of text, in hex. Called itself, as `hash("text")`, it is Starlark's own function.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]
#![allow(
    clippy::elidable_lifetime_names,
    reason = "starlark's macros ask for it"
)]

use crate::cx::Cx;
use allocative::Allocative;
use hmac::{Hmac, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::digest::Output;
use sha2::{Digest, Sha256, Sha512};
use starlark::any::ProvidesStaticType;
use starlark::environment::{GlobalsBuilder, Methods, MethodsBuilder};
use starlark::eval::{Arguments, Evaluator};
use starlark::values::{
    NoSerialize, StarlarkPagablePanic, StarlarkValue, UnpackValue, Value, starlark_value,
};
use starlark::{starlark_module, starlark_simple_value};
use std::fmt::{self, LowerHex};

/// So many bytes are taken in between two looks at the clock.
const PIECE: usize = 64 << 10;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    builder.set("hash", Hash);
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

fn hex<D: Digest>(text: &str, eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<String>
where
    Output<D>: LowerHex,
{
    let mut digest = D::new();
    feed(text, eval, |piece| digest.update(piece))?;
    Ok(format!("{:x}", digest.finalize()))
}

#[derive(Debug, ProvidesStaticType, NoSerialize, Allocative, StarlarkPagablePanic)]
struct Hash;

starlark_simple_value!(Hash);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hash")
    }
}

#[starlark_value(type = "hash")]
impl<'v> StarlarkValue<'v> for Hash {
    fn get_methods() -> Option<&'static Methods> {
        Some(METHODS.methods())
    }

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

starlark::methods_static!(METHODS = methods);

#[starlark_module]
fn methods(builder: &mut MethodsBuilder) {
    fn sha256<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let _ = this;
        hex::<Sha256>(s, eval)
    }

    fn sha512<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let _ = this;
        hex::<Sha512>(s, eval)
    }

    /// For what others chose it for: it no longer withstands an attacker.
    fn sha1<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let _ = this;
        hex::<Sha1>(s, eval)
    }

    /// For what others chose it for: it no longer withstands an attacker.
    fn md5<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let _ = this;
        hex::<Md5>(s, eval)
    }

    /// Says that a text comes from somebody who has the key.
    fn hmac_sha256<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] key: &str,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let _ = this;
        Cx::of(eval)?.gauge.text(key.len(), "a key")?;
        let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes());
        let mut mac = mac.map_err(|why| anyhow::anyhow!("{why}"))?;
        feed(s, eval, |piece| mac.update(piece))?;
        Ok(format!("{:x}", mac.finalize().into_bytes()))
    }
}
