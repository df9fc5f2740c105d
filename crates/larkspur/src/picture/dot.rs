//! The picture as Graphviz draws it.

use super::{Edge, Mark, Node, Picture};

pub(crate) fn dot(picture: &Picture) -> String {
    let mut lines = vec!["digraph modules {".to_owned()];
    lines.extend(picture.nodes.iter().map(line));
    for node in &picture.nodes {
        let edges = node.edges.iter();
        lines.extend(edges.filter_map(|edge| arrow(picture, node, edge)));
    }
    lines.push("}".to_owned());
    lines.join("\n")
}

fn line(node: &Node) -> String {
    let name = quoted(&node.label);
    let Some(word) = node.mark.word() else {
        return format!("    {name};");
    };
    let style = match node.mark {
        Mark::Disabled | Mark::Absent => "style=dashed",
        Mark::Waiting => "color=orange",
        Mark::Sound | Mark::Failed | Mark::Circular => "color=red",
    };
    let label = quoted(&format!("{}\n{word}", node.label));
    format!("    {name} [label={label}, {style}];")
}

fn arrow(picture: &Picture, from: &Node, edge: &Edge) -> Option<String> {
    let to = picture.nodes.get(edge.to)?;
    let mut style = Vec::new();
    if !edge.required {
        style.push("style=dashed");
    }
    if edge.circular {
        style.push("color=red");
    }
    let style = if style.is_empty() { String::new() } else { format!(" [{}]", style.join(", ")) };
    Some(format!("    {} -> {}{style};", quoted(&from.label), quoted(&to.label)))
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out() {
        assert_eq!(quoted("a\"\\\n.star"), r#""a\"\\\n.star""#);
    }
}
