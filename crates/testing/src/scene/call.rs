//! `t.call`: a real runtime over the test's folders, made when it is first needed.

use super::Scene;
use compact::count_tokens;
use model::{Args, Asker, Fault, Leash, Output, result_mismatch};
use runtime::{
    Asked, Call, Catalog, Lookup, RequestError, RequestErrorKind, Runtime, Shape, State,
};
use script::Reply;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl Scene {
    pub(super) fn runtime(&self) -> &Runtime {
        self.runtime.get_or_init(|| {
            let props = self.world.props();
            let config = props.config.iter();
            let config: Vec<_> =
                config.map(|(key, value, _)| (key.clone(), value.clone())).collect();
            // Whatever reads the environment while it loads reads that of the recording.
            let plays_env = !props.env.is_empty() || self.tape.world().is_some();
            drop(props);
            self.hall.open(&self.world, &self.part, config, plays_env)
        })
    }

    async fn answer(&self, tool: &str, args: Args) -> Reply {
        let runtime = self.runtime();
        let asker = Arc::clone(&self.world);
        let call = Call {
            shape: Shape::Raw,
            asker: Some(asker as Arc<dyn Asker>),
            ..Call::new(tool, args)
        };
        let (answered, reply) = reply(runtime, call).await;
        if answered.is_err_and(|error| is_unknown(&error)) {
            self.missing(&reply);
        }
        reply
    }
}

/// Makes a call; what came of it, and that as a test sees it.
pub async fn reply(runtime: &Runtime, call: Call) -> (Result<Output, RequestError>, Reply) {
    let (tool, cancel) = (call.name.clone(), call.cancel.clone());
    let answered = runtime.call(call).await;
    let reply = match &answered {
        Ok(output) if output.is_error => failed(&tool, Fault::new(output.plain_text())),
        Ok(output) => said(runtime, &tool, output, cancel).await,
        Err(error) => failed(&tool, fault(error, &runtime.catalog(), &tool)),
    };
    (answered, reply)
}

/// The data and the text are wanted: what the model reads is said of the data.
async fn said(runtime: &Runtime, tool: &str, output: &Output, cancel: CancellationToken) -> Reply {
    let value = output.clone().into_json();
    let found = runtime.catalog().lookup(tool);
    if let Some(why) = mismatch(&found, output) {
        let fault = Fault::new(format!("the result is not what `{tool}` declares: {why}"));
        let help = "change the result, or the return type or `output_schema` of the tool";
        return failed(tool, fault.help(help));
    }
    let text = match found {
        Lookup::Found(handle) if handle.tool().tool.is_compact() => {
            let asked = Asked::by_name(&handle.tool().tool, None);
            let said = runtime.say(&handle, value.clone(), asked, cancel).await;
            said.text()
        }
        _ => output.plain_text(),
    };
    Reply {
        tool: tool.to_owned(),
        tokens: count_tokens(&text),
        text,
        value,
        parts: Value::Null,
        fault: None,
    }
}

/// Returns how structured content differs from what its tool declares.
fn mismatch(found: &Lookup, output: &Output) -> Option<String> {
    let Lookup::Found(handle) = found else {
        return None;
    };
    let schema = handle.tool().tool.output.as_ref()?;
    result_mismatch(schema, output.structured.as_ref()?)
}

pub(super) fn call(scene: &Scene, tool: &str, args: Args, leash: &Leash) -> Reply {
    in_time(tool, leash, scene.answer(tool, args))
}

/// Waits for an answer as long as the test may take.
pub(super) fn in_time(tool: &str, leash: &Leash, answer: impl Future<Output = Reply>) -> Reply {
    let executor = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let executor = match executor {
        Ok(executor) => executor,
        Err(error) => return failed(tool, Fault::new(format!("cannot be called: {error}"))),
    };
    let work = async { tokio::time::timeout(leash.left(), answer).await };
    // Whoever called sees for himself that the time is up.
    let answered = executor.block_on(work);
    answered.unwrap_or_else(|_| failed(tool, Fault::new("the test's time is up")))
}

pub(super) fn failed(tool: &str, fault: Fault) -> Reply {
    Reply {
        tool: tool.to_owned(),
        value: Value::Null,
        tokens: count_tokens(&fault.message),
        text: fault.message.clone(),
        parts: Value::Null,
        fault: Some(fault),
    }
}

/// Why there was no answer; if the module itself is not there, why that is.
fn fault(error: &RequestError, catalog: &Catalog, tool: &str) -> Fault {
    let module = tool.split('.').next().unwrap_or(tool);
    if let Some(fault) = error.fault() {
        return fault.clone();
    }
    let mut broken = catalog.broken.iter();
    let broken = broken.find(|(file, broken)| match &broken.name {
        Some(name) => name.as_str() == module,
        None => is_of(file, module),
    });
    match broken.filter(|_| is_unknown(error)) {
        Some((_, broken)) if broken.state == State::Partial => broken.fault.clone(),
        Some((_, broken)) => Fault {
            message: format!("module `{module}` does not run: {}", broken.fault.message),
            ..broken.fault.clone()
        },
        None => Fault::new(error.to_string()),
    }
}

fn is_unknown(error: &RequestError) -> bool {
    matches!(error.kind, RequestErrorKind::Unknown(..))
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
