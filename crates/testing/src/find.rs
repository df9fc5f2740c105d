//! Which files hold tests.

use runtime::Folder;
use script::FileId;

pub(crate) struct TestFile<'a> {
    pub(crate) folder: &'a Folder,
    /// The folder's place among the folders.
    pub(crate) index: usize,
    pub(crate) file: FileId,
    /// Two folders may have a file of the same name.
    several: bool,
}

/// The test files of each folder in turn, by name.
pub(crate) fn find(folders: &[Folder]) -> Vec<TestFile<'_>> {
    let several = folders.len() > 1;
    folders
        .iter()
        .enumerate()
        .flat_map(|(index, folder)| {
            let tests = folder.tests().into_iter();
            tests.map(move |file| (index, folder, file))
        })
        .map(|(index, folder, file)| TestFile { folder, index, file, several })
        .collect()
}

impl TestFile<'_> {
    pub(crate) fn name(&self) -> String {
        self.name_of(&self.file)
    }

    /// What a file of the same folder is called in reports.
    pub(crate) fn name_of(&self, file: &str) -> String {
        if self.several { self.folder.path(file).display().to_string() } else { file.to_owned() }
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
