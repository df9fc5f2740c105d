//! Two contenders taking turns, so that the machine's moods hit both.

use anyhow::Result;

/// Medians over the rounds; the ratio is taken within each round.
#[derive(Debug, PartialEq)]
pub(super) struct Comparison {
    pub(super) larkspur: f64,
    pub(super) minimal: f64,
    pub(super) ratio: f64,
}

/// Runs both measures `rounds` times, in turns.
pub(super) fn compare(
    rounds: u32,
    mut larkspur: impl FnMut() -> Result<f64>,
    mut minimal: impl FnMut() -> Result<f64>,
) -> Result<Comparison> {
    let mut pairs = Vec::new();
    for _ in 0..rounds {
        pairs.push((larkspur()?, minimal()?));
    }
    Ok(Comparison {
        larkspur: median(pairs.iter().map(|pair| pair.0)),
        minimal: median(pairs.iter().map(|pair| pair.1)),
        ratio: median(pairs.iter().map(|pair| pair.0 / pair.1)),
    })
}

/// The middle value, or the mean of the two in the middle; NaN of none.
pub(super) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

pub(super) fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

pub(super) fn most(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the values are exact in binary")]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle() {
        assert_eq!(median([3.0, 1.0, 9.0]), 3.0);
        assert_eq!(median([4.0, 1.0, 2.0, 9.0]), 3.0);
        assert!(median([]).is_nan());
        assert_eq!((least([3.0, 1.0, 9.0]), most([3.0, 1.0, 9.0])), (1.0, 9.0));
    }

    #[test]
    fn a_slow_moment_that_hits_both_leaves_the_ratio_alone() -> Result<()> {
        let mut slow = [2.0, 20.0, 2.0].into_iter();
        let mut fast = [1.0, 10.0, 1.0].into_iter();
        let comparison =
            compare(3, || Ok(slow.next().unwrap_or(0.0)), || Ok(fast.next().unwrap_or(0.0)))?;
        assert_eq!(comparison, Comparison { larkspur: 2.0, minimal: 1.0, ratio: 2.0 });
        Ok(())
    }
}
