//! Counts values that share a hash, where data from outside becomes script values.
//!
//! The engine hashes without a seed and to 32 bits: a sender can choose keys that all have one
//! hash, and a dict compares each new key with every key of its hash.

use super::Unwritable;
use starlark::values::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// Keys and items that may share one hash.
const MOST_OF_ONE_HASH: usize = 64;
/// More may share one while they are less than this part of all values: numbered names such as
/// `EMP-0001` to `EMP-9999` have 32 hashes between them, about as many names under each.
const PART: usize = 8;
/// Comparisons that one dict may take for all values, and those added for each value.
const COMPARISONS: usize = 1_000_000;
const COMPARISONS_EACH: usize = 256;

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
    first: HashMap<u32, Value<'v>, Spread>,
    others: HashMap<u32, Vec<Value<'v>>, Spread>,
    counted: usize,
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
        self.counted += 1;
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
        let known = others.iter().position(|other| is_same(*other, value));
        self.comparisons += known.unwrap_or(others.len()) + 1;
        if known.is_none() {
            others.push(value);
            self.different += 1;
        }
        let alike = others.len() + 1;
        let is_crowd = alike > MOST_OF_ONE_HASH && alike * PART > self.different;
        let most = COMPARISONS + COMPARISONS_EACH * self.counted;
        if role == Role::Listed && is_crowd || self.comparisons > most {
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

/// Spreads hashes by a factor that no sender knows: hashes whose low bits are alike, which a sender
/// can choose as well, would all fall into one place of the table.
#[derive(Clone, Copy)]
struct Spread(u64);

static FACTOR: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0) | 1);

impl Default for Spread {
    fn default() -> Self {
        Self(*FACTOR)
    }
}

impl BuildHasher for Spread {
    type Hasher = SpreadHash;

    fn build_hasher(&self) -> SpreadHash {
        SpreadHash { factor: self.0, hash: 0 }
    }
}

struct SpreadHash {
    factor: u64,
    hash: u64,
}

impl Hasher for SpreadHash {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, hash: u32) {
        self.hash = (self.hash ^ u64::from(hash)).wrapping_mul(self.factor);
    }

    /// The upper half of a product depends on all bits, and tables look at the lower half first.
    fn finish(&self) -> u64 {
        self.hash.rotate_left(32)
    }
}
