//! Floats in JSON, which has no infinities: as text they are at least told apart from null.

use model::Cell;

pub(crate) fn to_cell(float: f64) -> Cell {
    if float.is_finite() {
        return Cell::Float(float);
    }
    let text = match float {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    };
    Cell::Text(text.into())
}
