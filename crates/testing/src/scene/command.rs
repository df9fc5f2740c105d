//! Commands that are played, or run if the test plays none.

use super::fits;
use super::world::Played;
use model::{ExecRequest, ExecResult, HostError, Leash, Surroundings};
use script::{Exchange, Kind};
use serde_json::{Value, json};

impl Played {
    pub(super) fn run(
        &self,
        request: &ExecRequest,
        surroundings: &Surroundings,
        leash: &Leash,
    ) -> Result<ExecResult, HostError> {
        let mut props = self.props();
        let (command, given) = (&request.command, &request.args);
        props.note(
            Kind::Exec,
            json!({
                "command": command,
                "args": given,
                "stdin": request.stdin,
                "cwd": request.cwd,
                "timeout": request.timeout.map(|time| time.as_secs_f64()),
                "env": given_env(request, surroundings),
            }),
        );
        if !props.plays(Kind::Exec) {
            drop(props);
            return self.real.exec(request, surroundings, leash);
        }
        let next = props.next(|exchange| match exchange {
            Exchange::Exec { command: played, args, .. } => {
                fits::command(played, args.as_deref(), command, given)
            }
            _ => false,
        });
        drop(props);
        match next {
            Some((Exchange::Exec { error: Some(why), .. }, _)) => Err(HostError(why)),
            Some((Exchange::Exec { stdout, stderr, exit_code, .. }, _)) => {
                self.props().sent.push(format!("{stdout}{stderr}"));
                Ok(ExecResult { stdout, stderr, exit_code })
            }
            _ => {
                let asked = format!("{command} {}", given.join(" "));
                Err(self.unanswered(Kind::Exec, asked.trim(), "play it with `t.exec.on`"))
            }
        }
    }
}

/// What the script adds to the environment, secrets as the test has set them.
fn given_env(request: &ExecRequest, surroundings: &Surroundings) -> serde_json::Map<String, Value> {
    let secrets = request.secret_env.iter().map(|(name, _)| name);
    let secret = |name: &String| {
        let mut all = surroundings.env.iter().rev();
        let value = all.find(|(known, _)| known == name);
        (name.clone(), json!(value.map(|(_, value)| value)))
    };
    let plain = request.env.iter();
    let plain = plain.map(|(name, value)| (name.clone(), json!(value)));
    plain.chain(secrets.map(secret)).collect()
}
