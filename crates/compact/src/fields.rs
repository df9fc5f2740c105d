//! The fields that items have, as far down as somebody selects from them.

use model::select::{Path, Step};
use serde_json::Value;
use std::collections::BTreeSet;

/// Fields are counted in so many items; more of them would rarely show another.
const ENOUGH: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Fields {
    /// `title`, and `user.login` where some path goes into `user`.
    pub(super) all: BTreeSet<String>,
    taken: BTreeSet<String>,
}

impl Fields {
    pub(super) fn of<'p>(items: &[Value], paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let paths: Vec<&[Step]> = paths.into_iter().map(|path| path.0.as_slice()).collect();
        let mut fields = Self::default();
        for item in items.iter().take(ENOUGH) {
            fields.look_into(item, &paths, "");
        }
        fields
    }

    /// How many no path takes.
    pub(super) fn left_out(&self) -> usize {
        self.all.len() - self.taken.len()
    }

    fn look_into(&mut self, value: &Value, paths: &[&[Step]], prefix: &str) {
        for (key, value) in value.as_object().into_iter().flatten() {
            let onward = paths.iter().filter_map(|path| match path.split_first() {
                Some((Step::Key(first), rest)) if first == key => Some(rest),
                _ => None,
            });
            let onward: Vec<&[Step]> = onward.collect();
            self.meet(value, &onward, format!("{prefix}{key}"));
        }
    }

    fn meet(&mut self, value: &Value, onward: &[&[Step]], name: String) {
        let goes_in = !onward.is_empty() && onward.iter().all(|path| !path.is_empty());
        match value {
            Value::Object(_) if goes_in => self.look_into(value, onward, &format!("{name}.")),
            Value::Array(items) if goes_in && items.iter().any(Value::is_object) => {
                let inner = onward.iter().filter_map(|path| match path.split_first() {
                    Some((Step::Each | Step::At(_), rest)) => Some(rest),
                    _ => None,
                });
                let inner: Vec<&[Step]> = inner.collect();
                for item in items {
                    self.meet(item, &inner, name.clone());
                }
            }
            _ => {
                if !onward.is_empty() {
                    self.taken.insert(name.clone());
                }
                self.all.insert(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(item: Value, paths: &[&str], all: &str, taken: &str) {
        let paths: Vec<Path> = paths.iter().map(|p| Path::parse(p).unwrap()).collect();
        let fields = Fields::of(&[item], &paths);
        let joined = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!((joined(&fields.all), joined(&fields.taken)), (all.into(), taken.into()));
    }

    #[test]
    fn fields_are_counted_where_paths_go() {
        let issue = json!({"n": 1, "user": {"login": "a", "id": 2, "org": {"x": 1}},
                           "labels": [{"name": "b", "id": 3}, {"color": 4}], "tags": ["t"]});
        check(issue.clone(), &["n"], "labels n tags user", "n");
        check(issue.clone(), &["user", "tags[*]"], "labels n tags user", "tags user");
        check(
            issue.clone(),
            &["user.login"],
            "labels n tags user.id user.login user.org",
            "user.login",
        );
        check(
            issue.clone(),
            &["labels[*].name", "first: labels[0].id"].map(|p| p.trim_start_matches("first: ")),
            "labels.color labels.id labels.name n tags user",
            "labels.id labels.name",
        );
        check(issue.clone(), &["user", "user.id"], "labels n tags user", "user");
        check(issue, &["labels.name"], "labels n tags user", "");
        check(json!(7), &["user"], "", "");
    }
}
