//! `t.call`: a real runtime over the test's folders, made when it is first needed.

use super::Scene;
use model::{Args, Asker, Fault, Leash, Output, Ways, count_tokens};
use runtime::{Asked, Call, CallError, Catalog, Handle, Lookup, Runtime, Shape};
use script::Reply;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

impl Scene {
    pub(super) fn runtime(&self) -> &Runtime {
        self.runtime.get_or_init(|| {
            let props = self.world.props();
            let config = props.config.iter();
            let config: Vec<_> = config
                .map(|(key, value, _)| (key.clone(), said(value)))
                .collect();
            // Whatever reads the environment while it loads reads that of the recording.
            let plays_env = !props.env.is_empty() || self.tape.world().is_some();
            drop(props);
            self.hall.open(&self.world, &self.part, config, plays_env)
        })
    }

    async fn answer(&self, tool: &str, args: Args) -> (Result<Output, CallError>, Option<String>) {
        let runtime = self.runtime();
        let asker = Arc::clone(&self.world);
        let call = Call {
            shape: Shape::Raw,
            asker: Some(asker as Arc<dyn Asker>),
            ..Call::new(tool, args)
        };
        let cancel = call.cancel.clone();
        let answered = runtime.call(call).await;
        let handle = match runtime.catalog().lookup(tool) {
            Lookup::Found(handle) => Some(handle),
            _ => None,
        };
        // The data and the text are wanted: what the model reads is said of the data.
        let compact = |handle: &Handle| handle.tool().is_compact();
        let text = match (&answered, handle.filter(compact)) {
            (Ok(output), Some(handle)) if !output.is_error => {
                let asked = Asked {
                    format: None,
                    select: None,
                    ways: Ways::FLAT,
                };
                let raw = output.clone().into_json();
                let said = runtime.say(&handle, raw, asked, cancel).await;
                Some(match said.note {
                    Some(note) => format!("{}\n{note}", said.body),
                    None => said.body,
                })
            }
            _ => None,
        };
        (answered, text)
    }
}

pub(super) fn call(scene: &Scene, tool: &str, args: Args, leash: &Leash) -> Reply {
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let executor = match executor {
        Ok(executor) => executor,
        Err(error) => return failed(tool, Fault::new(format!("cannot be called: {error}"))),
    };
    let work = async { tokio::time::timeout(leash.left(), scene.answer(tool, args)).await };
    // Whoever called sees for himself that the time is up.
    let Ok((answered, text)) = executor.block_on(work) else {
        return failed(tool, Fault::new("the test's time is up"));
    };
    match answered {
        Ok(output) if output.is_error => failed(tool, Fault::new(output.plain_text())),
        Ok(output) => {
            let text = text.unwrap_or_else(|| output.plain_text());
            Reply {
                tool: tool.to_owned(),
                tokens: count_tokens(&text),
                text,
                value: output.into_json(),
                fault: None,
            }
        }
        Err(error) => {
            let is_unknown = matches!(error, CallError::Unknown { .. });
            let fault = fault(error, &scene.runtime().catalog(), tool);
            // A test of a tool that is not there tests nothing, whatever it makes of the answer.
            if is_unknown {
                let why = format!("`{tool}` failed: {}", fault.message);
                scene.world.props().unanswered.push(why);
            }
            failed(tool, fault)
        }
    }
}

fn failed(tool: &str, fault: Fault) -> Reply {
    Reply {
        tool: tool.to_owned(),
        value: Value::Null,
        tokens: count_tokens(&fault.message),
        text: fault.message.clone(),
        fault: Some(fault),
    }
}

/// Why there was no answer; if the module itself is not there, why that is.
fn fault(error: CallError, catalog: &Catalog, tool: &str) -> Fault {
    let module = tool.split('.').next().unwrap_or(tool);
    match error {
        CallError::Failed { fault, .. } | CallError::Stopped { fault, .. } => fault,
        CallError::Unknown { .. } => {
            let mut broken = catalog.broken.iter();
            let broken = broken.find(|(file, broken)| match &broken.name {
                Some(name) => name.as_str() == module,
                None => is_of(file, module),
            });
            match broken {
                Some((_, broken)) => Fault {
                    message: format!("module `{module}` does not run: {}", broken.fault.message),
                    ..broken.fault.clone()
                },
                None => Fault::new(error.to_string()),
            }
        }
        other => Fault::new(other.to_string()),
    }
}

/// Would this file, or the folder of this manifest, be the module of that name?
fn is_of(file: &str, module: &str) -> bool {
    let path = Path::new(file);
    let part = if path.ends_with("module.toml") {
        path.parent().and_then(Path::file_name)
    } else {
        path.file_stem()
    };
    part.is_some_and(|part| part == module)
}

/// A value of the configuration as it would be typed.
fn said(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
