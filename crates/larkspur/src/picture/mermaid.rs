//! The picture as Mermaid draws it, in Markdown.

use super::{Edge, Mark, Node, Picture};
use std::collections::BTreeMap;

pub(crate) fn mermaid(picture: &Picture) -> String {
    let mut lines = vec!["graph TD".to_owned()];
    let nodes = || picture.nodes.iter().zip(1..);
    lines.extend(nodes().map(|(node, number)| line(node, number)));
    for (node, number) in nodes() {
        lines.extend(node.edges.iter().map(|edge| arrow(number, edge)));
    }
    let used: BTreeMap<&str, &str> = picture.nodes.iter().filter_map(|n| class(n.mark)).collect();
    let classes = used.iter().map(|(name, style)| format!("    classDef {name} {style}"));
    lines.extend(classes);
    lines.join("\n")
}

/// Numbers stand for names, which may hold words that mean something there.
fn line(node: &Node, number: usize) -> String {
    let label = escaped(&node.label);
    let word = node.mark.word().map(|word| format!("<br/>{word}"));
    let class = class(node.mark).map(|(name, _)| format!(":::{name}"));
    format!("    m{number}[\"{label}{}\"]{}", word.unwrap_or_default(), class.unwrap_or_default())
}

fn arrow(from: usize, edge: &Edge) -> String {
    let line = if edge.required { "-->" } else { "-.->" };
    let label = match (edge.circular, edge.required) {
        (true, _) => "|circular|",
        (false, false) => "|optional|",
        (false, true) => "",
    };
    format!("    m{from} {line}{label} m{}", edge.to + 1)
}

fn class(mark: Mark) -> Option<(&'static str, &'static str)> {
    match mark {
        Mark::Sound => None,
        Mark::Failed | Mark::Circular => Some(("failed", "stroke:#c00,stroke-width:2px")),
        Mark::Waiting => Some(("waiting", "stroke:#c80")),
        Mark::Disabled | Mark::Absent => Some(("absent", "stroke-dasharray:4 4")),
    }
}

/// `#` begins an entity there, and a quote would end the label.
fn escaped(label: &str) -> String {
    let parts = label.chars().map(|c| match c {
        '#' => "#35;".to_owned(),
        '"' => "#quot;".to_owned(),
        '<' => "#lt;".to_owned(),
        '>' => "#gt;".to_owned(),
        c if c.is_control() => " ".to_owned(),
        c => c.to_string(),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_break_out() {
        assert_eq!(escaped("a#1\"<b>\n.star"), "a#35;1#quot;#lt;b#gt; .star");
    }
}
