//! One line on where and when a table was made.

use std::fs;

use xtask::command;

pub(super) fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let loadavg = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!(
        "{cores} cores, {}, load {} at the end · {} · revision {}",
        model(&cpuinfo).unwrap_or("unknown CPU"),
        loadavg.split(' ').next().unwrap_or_default(),
        answer("date", &["-u", "+%Y-%m-%d %H:%M UTC"]).unwrap_or_else(|| "no date".to_owned()),
        answer("git", &["describe", "--always", "--dirty"])
            .unwrap_or_else(|| "none yet".to_owned()),
    )
}

fn model(cpuinfo: &str) -> Option<&str> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, model)| model.trim())
}

fn answer(program: &str, args: &[&str]) -> Option<String> {
    let text = String::from_utf8(command::output(".", program, args).ok()?).ok()?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_in_cpuinfo() {
        let cpuinfo = "processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\n";
        assert_eq!(model(cpuinfo), Some("AMD EPYC"));
        assert_eq!(model(""), None);
    }
}
