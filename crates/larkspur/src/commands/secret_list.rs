//! `larkspur secret list`: what is set and what is waited for, and never a value.

use crate::args::{Global, SecretList};
use crate::terminal::{DIM, STRONG, WARN, note, print, say, styled};
use crate::{compose, keys};
use runtime::Survey;
use serde::Serialize;
use std::process::ExitCode;
use store::SecretRow;

/// One line of it.
#[derive(Debug, Serialize)]
struct Line {
    module: String,
    name: String,
    /// Nobody's own: for all.
    user: Option<String>,
    kind: Option<String>,
    state: &'static str,
    changed: Option<String>,
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    set_with: Option<String>,
}

pub(crate) fn run(global: &Global, args: &SecretList) -> anyhow::Result<ExitCode> {
    let runtime = compose::look(global)?;
    let survey = runtime.survey();
    let kept = keys::vault(&compose::project_with_data(global)?).list()?;
    let waiting = waiting(&survey, &kept);
    let mut lines: Vec<Line> = kept.into_iter().map(|kept| set(kept, &survey)).collect();
    lines.extend(waiting);
    lines.retain(|line| args.user.is_none() || line.user == args.user);
    lines.sort_by(|a, b| (&a.module, &a.name, &a.user).cmp(&(&b.module, &b.name, &b.user)));
    print(args.format, || serde_json::json!({ "secrets": lines }), || show(&lines))?;
    Ok(ExitCode::SUCCESS)
}

fn set(kept: SecretRow, survey: &Survey) -> Line {
    Line {
        description: description(survey, &kept.module, &kept.name),
        module: kept.module,
        name: kept.name,
        user: Some(kept.owner).filter(|owner| !owner.is_empty()),
        kind: Some(kept.kind),
        state: "set",
        changed: Some(time(kept.changed_ms)),
        set_with: None,
    }
}

/// What manifests ask for and nobody has set.
fn waiting(survey: &Survey, kept: &[SecretRow]) -> Vec<Line> {
    let modules = survey.named().filter(|(_, module)| !module.disabled);
    let asked = modules.flat_map(|(module, found)| {
        let manifest = found.manifest.iter();
        let secrets = manifest.flat_map(|manifest| &manifest.secrets);
        secrets.map(move |(name, spec)| (module.as_str(), name, spec))
    });
    let is_set = |module: &str, name: &str| {
        let mut kept = kept.iter();
        kept.any(|kept| kept.module == module && kept.name == name)
    };
    let waiting = asked.filter(|(module, name, _)| !is_set(module, name));
    waiting
        .map(|(module, name, spec)| Line {
            module: module.to_owned(),
            name: name.clone(),
            user: None,
            kind: None,
            state: "waiting",
            changed: None,
            description: spec.description.clone(),
            set_with: Some(format!("larkspur secret set {module}.{name}")),
        })
        .collect()
}

fn description(survey: &Survey, module: &str, name: &str) -> Option<String> {
    let (_, found) = survey.named().find(|(known, _)| known.as_str() == module)?;
    let spec = found.manifest.as_ref()?.secrets.get(name)?;
    spec.description.clone()
}

fn show(lines: &[Line]) {
    if lines.is_empty() {
        return note("no secret is set, and no module asks for one");
    }
    let name = |line: &Line| format!("{}.{}", line.module, line.name);
    let user = |line: &Line| line.user.clone().unwrap_or_else(|| "all".into());
    let widest = |of: &dyn Fn(&Line) -> String| {
        let lengths = lines.iter().map(|line| of(line).chars().count());
        lengths.max().unwrap_or_default()
    };
    let (names, users) = (widest(&name), widest(&user));
    for line in lines {
        let head = format!("{:<names$}  for {:<users$}", name(line), user(line));
        let rest = match &line.set_with {
            Some(command) => format!("{}  `{command}` sets it", styled(WARN, "waiting")),
            None => {
                let kind = line.kind.as_deref().unwrap_or_default();
                let changed = line.changed.as_deref().unwrap_or_default();
                format!("{kind:<6}   {}", styled(DIM, format!("set {changed}")))
            }
        };
        say(&format!("{}  {rest}", styled(STRONG, head)));
    }
}

/// In UTC, as logs have it.
fn time(ms: i64) -> String {
    let seconds = jiff::Timestamp::from_second(ms.div_euclid(1000));
    seconds.map_or_else(|_| "long ago".into(), |time| time.to_string())
}
