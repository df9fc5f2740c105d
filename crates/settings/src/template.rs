//! A `larkspur.toml` to start from: each setting it knows, commented out.

use crate::{Key, PROJECT, Section};

const OPENING: &str = "\
# larkspur.toml: what the server and its modules are told.
#
# Every setting there is stands below, commented out. A line with no space after its `#` is a
# setting: take the `#` away and change the value. Where a setting has a default, the value
# shown is the default; the others show an example.
#
# A time is \"500ms\", \"30s\", \"2m\", \"1h\" or a number of seconds; a size is \"64KiB\", \"16MiB\", \"1GiB\"
# or a number of bytes; a rate is \"10/s\", \"600/m\" or \"1000/h\".
";

/// Lines are broken before they are wider.
const WIDTH: usize = 100;

pub fn project_template() -> String {
    let sections = PROJECT.iter().map(section);
    OPENING.to_owned() + &sections.collect::<String>()
}

fn section(section: &Section) -> String {
    let text = match section.name.as_str() {
        "" => String::new(),
        name => {
            let about = comment(&format!("[{name}]: {}", section.about));
            format!("\n{about}#[{}]\n", section.example)
        }
    };
    section.keys.iter().filter_map(setting).fold(text, |text, line| text + &line)
}

/// What a key is for, and a line that sets it; none if it has a section of its own.
fn setting(key: &Key) -> Option<String> {
    let value = key.value()?;
    let about = if key.kind.contains(['`', '"']) {
        format!("{} One of {}.", key.about, key.kind.replace('`', ""))
    } else {
        key.about.clone()
    };
    Some(format!("\n{}#{} = {value}\n", comment(&about), key.name))
}

/// In lines that are not too wide.
fn comment(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::from("#");
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > WIDTH {
            lines += &line;
            lines += "\n";
            line = String::from("#");
        }
        line += " ";
        line += word;
    }
    lines + &line + "\n"
}
