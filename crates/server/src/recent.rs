//! What was made of a catalog, or of what a caller sees of it, kept until another one is served.

use parking_lot::Mutex;
use runtime::Catalog;
use std::sync::Arc;

/// So many views of one catalog are remembered.
const MOST: usize = 64;

pub(crate) struct Recent<T>(Mutex<Vec<(Arc<Catalog>, T)>>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Recent<T> {
    /// As it was made for this catalog, or as it is made now.
    pub(crate) fn get<E>(
        &self,
        catalog: &Arc<Catalog>,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let mut known = self.0.lock();
        if let Some((_, made)) = known.iter().find(|(of, _)| Arc::ptr_eq(of, catalog)) {
            return Ok(made.clone());
        }
        let made = make()?;
        // Of a catalog that is no longer served nobody asks again.
        known.retain(|(of, _)| of.is_of_one_with(catalog));
        if known.len() >= MOST {
            known.remove(0);
        }
        known.push((Arc::clone(catalog), made.clone()));
        Ok(made)
    }
}
