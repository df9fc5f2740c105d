//! Whom modules may reach, and what they are told when they may not.

use super::*;
use crate::{Grant, Permission, Permissions, Rights};

fn folder(http: &[&str], grant: Option<&[&str]>) -> Egress {
    let permissions = Permissions::from([(Permission::Http, http)]);
    let grant = grant.map(|names| Grant::from([(Permission::Http, names)]));
    Rights::of_folder("x", &permissions, grant.as_ref()).egress()
}

fn file(http: &[&str]) -> Egress {
    let permissions = Permissions::from([(Permission::Http, http)]);
    Rights::of_file("x", Some(&permissions), &[], None).egress()
}

fn extension(grant: Option<&[&str]>) -> Egress {
    let grant = grant.map(|names| Grant::from([(Permission::Http, names)]));
    Rights::of_extension("x", &[], grant.as_ref()).egress()
}

#[test]
fn whom_requests_may_reach() {
    const NONE: Option<Reach> = None;
    let granted = Some(Reach::Granted);
    let public = Some(Reach::Public);
    let x = Some(&["x.org"][..]);
    for (egress, url, expected) in [
        (folder(&[], None), "http://x.org", NONE),
        (folder(&[], Some(&["*", "x.org"])), "http://x.org", NONE),
        (folder(&["x.org"], None), "https://x.org", granted),
        (folder(&["x.org"], None), "http://y.org", NONE),
        (folder(&["x.org"], None), "http://x.org:8080", NONE),
        (folder(&["127.0.0.1"], None), "http://127.1", granted),
        (folder(&["x.org", "y.org"], x), "http://x.org", granted),
        (folder(&["x.org", "y.org"], x), "http://y.org", NONE),
        (folder(&["y.org"], x), "http://x.org", NONE),
        (folder(&["x.org"], Some(&[])), "http://x.org", NONE),
        (folder(&["*.x.org"], Some(&["a.x.org"])), "http://a.x.org", granted),
        (folder(&["*.x.org"], Some(&["a.x.org"])), "http://b.x.org", NONE),
        (folder(&["a.x.org"], Some(&["*.x.org"])), "http://a.x.org", granted),
        (folder(&["x.org"], Some(&["x.org:443"])), "https://x.org", granted),
        (folder(&["x.org"], Some(&["x.org:443"])), "http://x.org", NONE),
        // An operator who leaves every public host does not leave the others.
        (folder(&["x.org", "127.0.0.1"], Some(&["*"])), "http://x.org", public),
        (folder(&["x.org", "127.0.0.1"], Some(&["*"])), "http://127.0.0.1", public),
        (folder(&["127.0.0.1"], Some(&["*", "127.0.0.1"])), "http://127.0.0.1", granted),
        (file(&[]), "http://x.org", NONE),
        (file(&["x.org"]), "http://x.org", granted),
        (file(&["*"]), "http://127.0.0.1", public),
        (extension(None), "http://x.org", public),
        (extension(None), "http://127.0.0.1", public),
        (extension(x), "http://x.org", granted),
        (extension(x), "http://y.org", NONE),
        (extension(Some(&[])), "http://x.org", NONE),
        (extension(Some(&["*", "127.0.0.1:81"])), "http://127.0.0.1:81", granted),
        (extension(Some(&["*", "127.0.0.1:81"])), "http://127.0.0.1:82", public),
        (extension(Some(&["*", "127.0.0.1:81"])), "http://x.org", public),
    ] {
        let reach = egress.reach(&Site::read(url).unwrap());
        assert_eq!(reach.ok(), expected, "{url} {egress:?}");
    }
}

#[test]
fn a_refusal_says_who_can_widen_it() {
    let words = |egress: &Egress, url: &str| {
        let site = Site::read(url).unwrap();
        match egress.reach(&site) {
            Ok(Reach::Public) => egress.not_public(&site).to_string(),
            Ok(Reach::Granted) => "granted".to_owned(),
            Err(denied) => denied.to_string(),
        }
    };
    let here = "http://127.0.0.1:81/a?key=1";
    for (egress, url, expected) in [
        (
            folder(&[], None),
            here,
            "`127.0.0.1:81` is not among the hosts module `x` may reach; \
             add http = [\"127.0.0.1:81\"] to [permissions] in module.toml",
        ),
        (
            folder(&["y.org"], None),
            "https://x.org",
            "`x.org` is not among the hosts module `x` may reach; \
             add \"x.org\" to `http` under [permissions] in module.toml",
        ),
        (
            folder(&["x.org"], Some(&["y.org"])),
            "https://x.org",
            "`x.org` is not among the hosts module `x` may reach; \
             the operator can add \"x.org\" to `http` under [module.x.grant] in larkspur.toml",
        ),
        (
            folder(&["127.0.0.1:81"], Some(&["*"])),
            here,
            "`127.0.0.1:81` is not a public host, and others are granted by name; the operator can \
             add \"127.0.0.1:81\" to `http` under [module.x.grant] in larkspur.toml",
        ),
        (
            folder(&["*"], None),
            here,
            "`127.0.0.1:81` is not a public host, and others are granted by name; \
             add \"127.0.0.1:81\" to `http` under [permissions] in module.toml",
        ),
        (
            file(&["*"]),
            here,
            "`127.0.0.1:81` is not a public host, and others are granted by name; \
             add \"127.0.0.1:81\" to `http` of permissions(…) in its file",
        ),
        (
            extension(None),
            here,
            "`127.0.0.1:81` is not a public host, and others are granted by name; the operator can \
             add http = [\"*\", \"127.0.0.1:81\"] to [module.x.grant] in larkspur.toml, where \"*\" \
             stands for every public host",
        ),
        (
            extension(Some(&["*"])),
            here,
            "`127.0.0.1:81` is not a public host, and others are granted by name; the operator can \
             add \"127.0.0.1:81\" to `http` under [module.x.grant] in larkspur.toml",
        ),
        (
            extension(Some(&["y.org"])),
            "https://x.org",
            "`x.org` is not among the hosts module `x` may reach; \
             the operator can add \"x.org\" to `http` under [module.x.grant] in larkspur.toml",
        ),
        (
            Rights::of_loading(true, []).egress(),
            "https://x.org",
            "`http` works in calls, not while a file loads",
        ),
    ] {
        assert_eq!(words(&egress, url), expected);
    }
}
