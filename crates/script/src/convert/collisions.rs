//! Counts values that share a hash, where data from outside becomes script values.
//!
//! The engine hashes without a seed and to 32 bits: a sender can choose keys that all have one
//! hash, and a dict compares each new key with every key of its hash.

use super::Unwritable;
use starlark::values::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// Keys and items that may share one hash.
const MOST_OF_ONE_HASH: usize = 64;
/// More may share one while they are less than this part of all values: numbered names such as
/// `EMP-0001` to `EMP-9999` have 32 hashes between them, about as many names under each.
const PART: usize = 8;
/// Comparisons that one dict of all values may take, and those added for each value.
const COMPARISONS: usize = 1_000_000;
const COMPARISONS_EACH: usize = 128;

/// How a value stands in what was received.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A key of a dict or an item of a list.
    Listed,
    /// The value of a field: sizes in whole megabytes share one hash and do not become keys often.
    Field,
}

/// The different values of one document, or of the arguments of one call, by their hashes.
#[derive(Default)]
pub(crate) struct Collisions<'v> {
    /// So few values cannot be too many of one hash: they are not counted yet.
    early: Vec<(Value<'v>, Role)>,
    first: HashMap<u32, Value<'v>, BuildHasherDefault<Spread>>,
    others: HashMap<u32, Vec<Value<'v>>, BuildHasherDefault<Spread>>,
    different: usize,
    comparisons: usize,
}

impl<'v> Collisions<'v> {
    /// Counts a text or a number; what cannot collide is left out.
    pub(crate) fn count(&mut self, value: Value<'v>, role: Role) -> Result<(), Unwritable> {
        // The engine spreads 32-bit integers well.
        if value.unpack_i32().is_some() || value.is_none() || value.unpack_bool().is_some() {
            return Ok(());
        }
        if self.early.len() < MOST_OF_ONE_HASH {
            self.early.push((value, role));
            return Ok(());
        }
        if self.different == 0 {
            for (value, role) in self.early.clone() {
                self.add(value, role)?;
            }
        }
        self.add(value, role)
    }

    fn add(&mut self, value: Value<'v>, role: Role) -> Result<(), Unwritable> {
        let hashed = value.get_hashed().map_err(|e| Unwritable(e.to_string()))?;
        let hash = hashed.hash().get();
        let first = match self.first.entry(hash) {
            Entry::Vacant(place) => {
                place.insert(value);
                self.different += 1;
                return Ok(());
            }
            Entry::Occupied(first) => *first.get(),
        };
        if is_same(first, value) {
            return Ok(());
        }
        let others = self.others.entry(hash).or_default();
        if others.iter().any(|other| is_same(*other, value)) {
            return Ok(());
        }
        others.push(value);
        let alike = others.len() + 1;
        self.different += 1;
        self.comparisons += alike - 1;
        let most = COMPARISONS + COMPARISONS_EACH * self.different;
        let is_listed = role == Role::Listed;
        if is_listed && alike > MOST_OF_ONE_HASH && alike * PART > self.different
            || self.comparisons > most
        {
            return Err(Unwritable(format!(
                "more than {MOST_OF_ONE_HASH} keys or items share one hash"
            )));
        }
        Ok(())
    }
}

fn is_same<'v>(left: Value<'v>, right: Value<'v>) -> bool {
    match (left.unpack_str(), right.unpack_str()) {
        (Some(left), Some(right)) => left == right,
        (None, None) => left.equals(right).unwrap_or(false),
        _ => false,
    }
}

/// The keys are hashes already; they are spread as the engine spreads them.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, hash: u32) {
        self.0 = (self.0 ^ u64::from(hash)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
