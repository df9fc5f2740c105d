//! `larkspur call … --save-test`: makes the call, shows the answer, and writes both as a test.

use crate::args::{Call as CallArgs, CallFormat, Global};
use crate::commands::arguments::arguments;
use crate::commands::call::{Target, asked, failed, not_found, show};
use crate::compose;
use crate::exit::{INTERRUPTED, SAID_ERROR, wrong_usage};
use crate::terminal::note;
use model::{Output, TaskUse, is_credential};
use outside::Outside;
use runtime::{Call, Folder, Handle, Module, RequestError, Runtime, Shape};
use serde_json::Value;
use settings::Origin;
use std::process::ExitCode;
use std::sync::Arc;
use testing::{Draft, Made, Options, Recorder};

pub(crate) fn run(global: &Global, args: &CallArgs, wanted: &str) -> anyhow::Result<ExitCode> {
    let (runtime, recorder) = compose::open_recorded(global)?;
    let code = called(global, args, wanted, &runtime, &recorder);
    runtime.close();
    code
}

fn called(
    global: &Global,
    args: &CallArgs,
    wanted: &str,
    runtime: &Runtime,
    recorder: &Recorder,
) -> anyhow::Result<ExitCode> {
    let catalog = runtime.catalog();
    let handle = match Target::find(&catalog, &args.tool) {
        Ok(Target::Tool(handle)) => handle,
        Ok(Target::Meta(_)) => return Err(wrong_usage("--save-test is for tools of modules")),
        Err(lookup) => return Ok(not_found(runtime, &args.tool, &lookup)),
    };
    let tool = &handle.tool().tool;
    let wanted = Some(wanted).filter(|wanted| !wanted.is_empty());
    let folders: Vec<Folder> = compose::folders(global).into_iter().map(Folder::new).collect();
    let module = &handle.module;
    let folder = &folders[module.folder];
    let draft =
        Draft::new(folder, &module.file, tool.name.as_str(), wanted).map_err(wrong_usage)?;
    let given = arguments(&args.arguments, |name, text| tool.read_typed(name, text))?;
    let name = handle.to_string();
    let call = Call {
        long: catalog.task_use(&name, Some(&given)) != TaskUse::Never,
        shape: Shape::Raw,
        ..Call::new(name, given.clone())
    };
    let made = compose::until_signal(answered(runtime, &handle, call, args))?;
    let Some((answered, reply)) = made else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let code = match answered {
        Ok(output) => {
            show(&output, args.format)?;
            ExitCode::from(if output.is_error { SAID_ERROR } else { 0 })
        }
        Err(failure) => failed(&failure, tool, args.format),
    };
    let made = Made { recorder, args: &given, config: config(module, recorder), reply };
    let mut options = Options::new(folders);
    options.world = Arc::new(Outside::default());
    draft.save(&made, options).map_err(anyhow::Error::msg)?;
    told(global, &draft);
    Ok(code)
}

/// What came of the call, in the form that is wanted, and as a test sees it.
async fn answered(
    runtime: &Runtime,
    handle: &Handle,
    call: Call,
    args: &CallArgs,
) -> (Result<Output, RequestError>, testing::Reply) {
    let cancel = call.cancel.clone();
    let (answered, reply) = testing::reply(runtime, call).await;
    let is_plain = match args.format {
        CallFormat::Text => !handle.tool().tool.is_compact() && args.select.is_none(),
        CallFormat::Json => args.select.is_none(),
        _ => false,
    };
    if is_plain || reply.fault.is_some() {
        return (answered, reply);
    }
    let said = runtime.say(handle, reply.value.clone(), asked(args), cancel);
    let said = said.await;
    if let Some(text) = &said.note {
        note(text);
    }
    (Ok(Output::text(said.body)), reply)
}

/// What the module is told otherwise than by its manifest. What came from the environment, or goes
/// by such a name, is for nobody to read.
fn config(module: &Module, recorder: &Recorder) -> Vec<(String, Value)> {
    let settings = module.config.settings.iter();
    let own = settings.filter(|setting| !matches!(setting.origin, Origin::Default { .. }));
    own.map(|setting| {
        let is_ours = matches!(setting.origin, Origin::Environment(_));
        let value = match &setting.value {
            Value::String(text) if is_ours || is_credential(&setting.key) => {
                Value::String(recorder.stand_in(&setting.key, text))
            }
            plain => plain.clone(),
        };
        (format!("{}.{}", module.name, setting.key), value)
    })
    .collect()
}

fn told(global: &Global, draft: &Draft) {
    let mut command = "larkspur test".to_owned();
    for folder in &global.modules {
        command += " -e ";
        command += &folder.to_string_lossy();
    }
    let (test, file) = (draft.test(), draft.file().display());
    note(&format!("saved as {test} in {file}; run it with: {command} -k {test}"));
}
