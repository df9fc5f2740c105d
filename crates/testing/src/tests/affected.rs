//! Which tests a change reaches.

use super::*;
use crate::affected;

const FILES: [(&str, &str); 9] = [
    ("shop/module.toml", "name = 'shop'\nversion = '1.0.0'\ndescription = 'd'"),
    ("shop/main.star", ""),
    ("shop/main_test.star", ""),
    (
        "till/module.toml",
        "name = 'till'\nversion = '1.0.0'\ndescription = 'd'\ndepends_on = ['shop']",
    ),
    ("till/till_test.star", ""),
    ("yard/module.toml", "name = 'yard'\nversion = '1.0.0'\ndescription = 'd'"),
    ("yard/yard_test.star", "def test_x(t):\n    t.call('till.pay')"),
    ("zoo/module.toml", "name = 'zoo'\nversion = '1.0.0'\ndescription = 'd'"),
    ("zoo/zoo_test.star", ""),
];

#[track_caller]
fn check(files: &[(&str, &str)], changed: &[&str], expected: Option<&[&str]>) {
    let dir = folder(files);
    let folders = [Folder::new(dir.path())];
    let changed: Vec<_> = changed.iter().map(|file| dir.path().join(file)).collect();
    let tests = affected(&folders, &changed).map(|tests| {
        let ids = tests.iter().filter_map(|path| folders[0].id(path));
        ids.collect::<Vec<_>>()
    });
    let expected = expected.map(|files| files.iter().map(|file| (*file).to_owned()).collect());
    assert_eq!(tests, expected, "{changed:?}");
}

#[test]
fn a_change_reaches_who_names_what_has_changed() {
    let all_three = ["shop/main_test.star", "till/till_test.star", "yard/yard_test.star"];
    check(&FILES, &["shop/main.star"], Some(&all_three));
    check(&FILES, &["shop/data/x.json"], Some(&all_three));
    check(&FILES, &["zoo/gone.star"], Some(&["zoo/zoo_test.star"]));
    check(&FILES, &["zoo/zoo_test.star"], Some(&["zoo/zoo_test.star"]));
    check(&FILES, &["zoo/module.toml"], None);
    check(&FILES, &["../larkspur.toml"], None);
    check(&FILES, &["loose.star"], None);
}

#[test]
fn files_beside_modules_may_be_anything() {
    let beside = [&FILES[..], &[("loose_test.star", "# zoo")]].concat();
    check(&beside, &["zoo/main.star"], None);
}
