//! Which files hold tests.

use runtime::Folder;
use script::FileId;

pub(crate) struct TestFile<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) file: FileId,
    /// Two folders may have a file of the same name.
    several: bool,
}

/// The test files of each folder in turn, by name.
pub(crate) fn find(folders: &[Folder]) -> Vec<TestFile<'_>> {
    let several = folders.len() > 1;
    folders
        .iter()
        .flat_map(|folder| folder.tests().into_iter().map(move |file| (folder, file)))
        .map(|(folder, file)| TestFile {
            folder,
            file,
            several,
        })
        .collect()
}

impl TestFile<'_> {
    pub(crate) fn name(&self) -> String {
        self.name_of(&self.file)
    }

    /// What a file of the same folder is called in reports.
    pub(crate) fn name_of(&self, file: &str) -> String {
        if self.several {
            self.folder.path(file).display().to_string()
        } else {
            file.to_owned()
        }
    }

    /// Names that look like tests, for a file that cannot be loaded.
    pub(crate) fn guess_tests(&self) -> Vec<String> {
        let source = self.folder.read_text(&self.file).unwrap_or_default();
        source
            .lines()
            .filter_map(|line| line.strip_prefix("def ")?.split('(').next())
            .filter(|name| name.starts_with("test_"))
            .map(str::to_owned)
            .collect()
    }
}
