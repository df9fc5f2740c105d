//! Commands that are played, or run if the test plays none.

use super::fits;
use super::world::Played;
use model::{ExecRequest, ExecResult, HostError, Leash, Surroundings};
use script::{Exchange, Kind};
use serde_json::json;

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
            json!({"command": command, "args": given, "stdin": request.stdin}),
        );
        if !props.plays(Kind::Exec) {
            drop(props);
            return self.real.exec(request, surroundings, leash);
        }
        let next = props.next(|exchange| match exchange {
            Exchange::Exec {
                command: played,
                args,
                ..
            } => fits::command(played, args.as_deref(), command, given),
            _ => false,
        });
        drop(props);
        match next {
            Some((
                Exchange::Exec {
                    stdout,
                    stderr,
                    exit_code,
                    ..
                },
                _,
            )) => {
                self.props().sent.push(format!("{stdout}{stderr}"));
                Ok(ExecResult {
                    stdout,
                    stderr,
                    exit_code,
                })
            }
            _ => {
                let asked = format!("{command} {}", given.join(" "));
                Err(self.unanswered(Kind::Exec, asked.trim(), "play it with `t.exec.on`"))
            }
        }
    }
}
