//! Large numbers as people read them.

use std::fmt::{self, Display, Formatter};

/// `12,345`.
#[derive(Debug, Clone, Copy)]
pub struct Grouped(pub usize);

impl Display for Grouped {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}
