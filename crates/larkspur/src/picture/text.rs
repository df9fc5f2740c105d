//! The picture for people: modules in the order they start, below each what it depends on.

use super::{Edge, Mark, Node, Picture};
use crate::terminal::{BAD, DIM, STRONG, styled};

pub(crate) fn text(picture: &Picture) -> String {
    let is_there = |node: &&Node| node.mark != Mark::Absent;
    let sound = picture.nodes.iter().filter(|node| node.mark == Mark::Sound);
    let width = sound.count().to_string().len();
    let mut lines = Vec::new();
    for (node, number) in picture.nodes.iter().filter(is_there).zip(1..) {
        lines.push(heading(node, number, width));
        let edges = node.edges.iter();
        lines.extend(edges.map(|edge| dependency(picture, edge, width)));
    }
    lines.join("\n")
}

/// Who starts has a number; who does not, a mark.
fn heading(node: &Node, number: usize, width: usize) -> String {
    let label = styled(STRONG, &node.label);
    let Some(word) = node.mark.word() else {
        return format!("{number:>width$} {label}");
    };
    let (style, sign) = match node.mark {
        Mark::Waiting => (DIM, "◐"),
        Mark::Disabled => (DIM, "○"),
        _ => (BAD, "✗"),
    };
    let sign = styled(style, format!("{sign:>width$}"));
    format!("{sign} {label}  {}", styled(style, word))
}

fn dependency(picture: &Picture, edge: &Edge, width: usize) -> String {
    let verb = if edge.required { "needs" } else { "can use" };
    let Some(node) = picture.nodes.get(edge.to) else {
        return String::new();
    };
    let word = node.mark.word().map(|word| styled(DIM, format!(" ({word})")));
    let indent = " ".repeat(width + 3);
    format!("{indent}{verb} {}{}", node.label, word.unwrap_or_default())
}
