//! `files`: files that a module was granted, by paths relative to its folder.

use crate::stdlib::prelude::*;
use anyhow::anyhow;

/// Files that a module was granted, by paths relative to its folder.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// The text of a file.
    ///
    /// A module names what it may read as `files` and what it may write as `files_write`: in `[permissions]`
    /// of its `module.toml`, or in `permissions(…)` of a single file. A file that is not UTF-8 is an error.
    ///
    /// Examples:
    /// ```python
    /// >>> files.read("a.txt")
    /// "text"
    /// >>> files.read("b.txt")
    /// error: there is no b.txt
    /// ```
    fn read<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> anyhow::Result<Value<'v>> {
        let text = Cx::host(eval)?.file_read(path)?;
        Ok(eval.heap().alloc(text))
    }

    /// The value in a JSON file, with every digit; what may be read is as for `files.read`.
    ///
    /// Examples:
    /// ```python
    /// >>> files.read_json("a.json")
    /// {"big": 12345678901234567890, "half": 0.5}
    /// ```
    fn read_json<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> anyhow::Result<Value<'v>> {
        let text = Cx::host(eval)?.file_read(path)?;
        super::json::room(&text, eval)?;
        let json = serde_json::from_str(&text).map_err(|e| anyhow!("{path} is not JSON: {e}"))?;
        from_json(&json, eval.heap()).map_err(|e| anyhow!("{path}: {e}"))
    }

    /// The names in a folder, in the order of the alphabet; those of folders end in `/`.
    ///
    /// Without a path it is the module's own folder. What may be listed is as for `files.read`.
    ///
    /// Examples:
    /// ```python
    /// >>> files.list()
    /// ["a.txt", "sub/"]
    /// ```
    fn list<'v>(
        #[starlark(default = "")] path: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let names = Cx::host(eval)?.file_list(path)?;
        Ok(Receiver::new(eval.heap()).texts(&names)?)
    }

    /// Is there such a file or folder? Whether it may be looked for is as for `files.read`.
    ///
    /// Examples:
    /// ```python
    /// >>> files.exists("a.txt")
    /// True
    /// ```
    fn exists(path: &str, eval: &mut Evaluator<'_, '_, '_>) -> anyhow::Result<bool> {
        Ok(Cx::host(eval)?.file_exists(path)?)
    }

    /// Writes a text, in the place of what the file held.
    ///
    /// Folders on the way are made. What may be written is named as `files_write` under
    /// `[permissions]`, and may be read as well; the module's own code and manifest never.
    ///
    /// Examples:
    /// ```python
    /// >>> files.write("out/report.md", "# Report\n")
    /// None
    /// ```
    fn write(path: &str, text: &str, eval: &mut Evaluator<'_, '_, '_>) -> anyhow::Result<NoneType> {
        Cx::host(eval)?.file_write(path, text)?;
        Ok(NoneType)
    }
}
