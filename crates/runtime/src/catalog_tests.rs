//! Facts about catalogs.
