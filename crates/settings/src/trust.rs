//! Whose tokens open the server: `[auth]` of `larkspur.toml`.

use crate::Claims;
use crate::document::{Item, Table};
use crate::known;
use model::{Fault, did_you_mean};
use std::time::Duration;
use url::{Host, Url};

/// Clocks differ by so much at the most.
const LEEWAY: Duration = Duration::from_secs(30);

/// What a signature may be made with. `none` is not among them.
const ALGORITHMS: [&str; 12] = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA", "HS256",
    "HS384", "HS512",
];

#[derive(Debug, Clone, PartialEq)]
pub struct Trust {
    /// Who a token must be for; the server's own URL if nothing is said.
    pub audience: Vec<String>,
    pub algorithms: Vec<String>,
    pub leeway: Duration,
    /// What every token must say.
    pub claims: Claims,
    /// The claim that names its owner.
    pub user: String,
    pub issuers: Vec<Issuer>,
}

/// Somebody who makes tokens, by the name they have for themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Issuer {
    pub name: String,
    pub keys: Keys,
}

/// Where the keys are that an issuer's tokens are signed with.
#[derive(Debug, Clone, PartialEq)]
pub enum Keys {
    JwksUrl(String),
    JwksFile(String),
    /// A public key as PEM.
    KeyFile(String),
    /// A secret shared with the issuer, in this variable.
    Secret(String),
}

impl Default for Trust {
    fn default() -> Self {
        Self {
            audience: Vec::new(),
            algorithms: vec!["RS256".to_owned()],
            leeway: LEEWAY,
            claims: Claims::default(),
            user: "sub".to_owned(),
            issuers: Vec::new(),
        }
    }
}

impl Trust {
    pub(crate) fn read(mut table: Table<'_>) -> Self {
        let usual = Self::default();
        let algorithms = table.list("algorithms");
        let algorithms: Vec<String> = algorithms.iter().filter_map(algorithm).collect();
        let leeway = table.get("leeway");
        let claims = table.get("claims").and_then(|item| Claims::read(&item));
        let issuers = table.table("issuer").map(Table::into_entries);
        let issuers = issuers.unwrap_or_default();
        let trust = Self {
            audience: table.strings("audience"),
            algorithms: if algorithms.is_empty() { usual.algorithms } else { algorithms },
            leeway: leeway.and_then(|item| bounded(&item)).unwrap_or(LEEWAY),
            claims: claims.unwrap_or_default(),
            user: table.string("user").unwrap_or(usual.user),
            issuers: issuers.iter().filter_map(issuer).collect(),
        };
        table.finish(&known::AUTH);
        for (issuer, item) in trust.issuers.iter().zip(&issuers) {
            trust.check_kinds(issuer, item);
        }
        trust
    }

    /// The variables that secrets shared with issuers are in.
    pub fn secret_variables(&self) -> impl Iterator<Item = &str> {
        self.issuers.iter().filter_map(|issuer| match &issuer.keys {
            Keys::Secret(name) => Some(name.as_str()),
            Keys::JwksUrl(_) | Keys::JwksFile(_) | Keys::KeyFile(_) => None,
        })
    }

    /// A public key that were taken for a shared secret would let anybody sign.
    fn check_kinds(&self, issuer: &Issuer, item: &Item<'_>) {
        let is_shared = matches!(issuer.keys, Keys::Secret(_));
        let fits = |algorithm: &String| algorithm.starts_with("HS") == is_shared;
        if !self.algorithms.iter().any(fits) {
            let (keys, kind) =
                if is_shared { ("a secret", "HS256") } else { ("public keys", "RS256") };
            let fault = Fault::new(format!(
                "issuer `{}` has {keys}, and `algorithms` has none for that",
                issuer.name
            ));
            item.report_key(fault.help(format!("add \"{kind}\" to `algorithms` under [auth]")));
        }
    }
}

fn algorithm(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    if ALGORITHMS.contains(&text) {
        return Some(text.to_owned());
    }
    let help = match did_you_mean(text, ALGORITHMS) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", ALGORITHMS.join(", ")),
    };
    item.report(Fault::new(format!("`{text}` is no algorithm for tokens")).help(help));
    None
}

/// A token that holds long after its end is one that nobody can take back.
fn bounded(item: &Item<'_>) -> Option<Duration> {
    let leeway = item.duration()?;
    if leeway > LEEWAY {
        item.report(Fault::new("a token is taken for 30s longer than it says at the most"));
        return None;
    }
    Some(leeway)
}

fn issuer(item: &Item<'_>) -> Option<Issuer> {
    let mut table = item.table()?;
    let sources = [
        table.get("jwks_url").map(|item| url(&item).map(Keys::JwksUrl)),
        table.string("jwks_file").map(|file| Some(Keys::JwksFile(file))),
        table.string("key_file").map(|file| Some(Keys::KeyFile(file))),
        table.string("secret_env").map(|name| Some(Keys::Secret(name))),
    ];
    table.finish(&known::ISSUER);
    let mut named = sources.into_iter().flatten();
    let keys = named.next();
    if keys.is_none() || named.next().is_some() {
        let fault = Fault::new(format!("issuer `{}` needs one place for its keys", item.key()));
        let help = "write jwks_url, jwks_file, key_file (a public key as PEM) or secret_env (the \
                    variable with the shared secret)";
        item.report_key(fault.help(help));
    }
    Some(Issuer { name: item.key().to_owned(), keys: keys?? })
}

fn url(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    if is_secure(text) {
        return Some(text.to_owned());
    }
    let fault = Fault::new(format!("`{text}` is not a URL that keys can be trusted from"));
    item.report(fault.help("it begins with https://"));
    None
}

/// Over https, or within this machine.
pub(crate) fn is_secure(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else {
        return false;
    };
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" && url.has_host() || url.scheme() == "http" && is_here
}

/// The server's own address as clients know it: no fragment, no query, no slash at the end.
pub(crate) fn public_url(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    let url = Url::parse(text).ok();
    let is_plain = url.is_some_and(|url| url.query().is_none() && url.fragment().is_none());
    if is_plain && is_secure(text) {
        return Some(text.trim_end_matches('/').to_owned());
    }
    let fault = Fault::new(format!("`{text}` cannot be the server's public URL"));
    item.report(fault.help("write it as clients do: `https://mcp.example.org/mcp`"));
    None
}

#[cfg(test)]
mod tests {
    use crate::Project;
    use expect_test::{Expect, expect};

    #[test]
    fn what_is_trusted() {
        let text = r#"
[server]
public_url = "https://mcp.example.org/mcp/"
[auth]
algorithms = ["ES256", "HS256"]
claims = { tenant = "acme" }
leeway = "5s"
[auth.issuer."https://login.example.org"]
jwks_url = "https://login.example.org/jwks"
[auth.issuer.inside]
secret_env = "JWT_SECRET"
"#;
        let project = Project::parse("larkspur.toml", text).unwrap();
        assert_eq!(project.doors.public_url.as_deref(), Some("https://mcp.example.org/mcp"));
        expect![[r#"
            Trust { audience: [], algorithms: ["ES256", "HS256"], leeway: 5s, claims: Claims([("tenant", [String("acme")])]), user: "sub", issuers: [Issuer { name: "https://login.example.org", keys: JwksUrl("https://login.example.org/jwks") }, Issuer { name: "inside", keys: Secret("JWT_SECRET") }] }"#]]
        .assert_eq(&format!("{:?}", project.trust));
    }

    #[test]
    fn mistakes_are_told() {
        let check = |text: &str, expected: &Expect| {
            let fault = Project::parse("larkspur.toml", text).unwrap_err();
            expected.assert_eq(&fault.to_string());
        };
        check(
            "auth.algorithms = ['none']",
            &expect![[r"
            `none` is no algorithm for tokens
              ┌ larkspur.toml:1:20
            1 │ auth.algorithms = ['none']
              │                    ^^^^^^
              = help: there are RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA, HS256, HS384, HS512"]],
        );
        check(
            "auth.algorithms = ['RS25']",
            &expect![[r"
            `RS25` is no algorithm for tokens
              ┌ larkspur.toml:1:20
            1 │ auth.algorithms = ['RS25']
              │                    ^^^^^^
              = help: did you mean `RS256`?"]],
        );
        check(
            "auth.issuer.x = {}",
            &expect![[r"
            issuer `x` needs one place for its keys
              ┌ larkspur.toml:1:13
            1 │ auth.issuer.x = {}
              │             ^
              = help: write jwks_url, jwks_file, key_file (a public key as PEM) or secret_env (the variable with the shared secret)"]],
        );
        check(
            "auth.issuer.x = { jwks_url = 'http://x.org/jwks' }",
            &expect![[r"
                `http://x.org/jwks` is not a URL that keys can be trusted from
                  ┌ larkspur.toml:1:30
                1 │ auth.issuer.x = { jwks_url = 'http://x.org/jwks' }
                  │                              ^^^^^^^^^^^^^^^^^^^
                  = help: it begins with https://"]],
        );
        check(
            "auth.issuer.x = { secret_env = 'X' }",
            &expect![[r#"
            issuer `x` has a secret, and `algorithms` has none for that
              ┌ larkspur.toml:1:13
            1 │ auth.issuer.x = { secret_env = 'X' }
              │             ^
              = help: add "HS256" to `algorithms` under [auth]"#]],
        );
        check(
            "auth.issuer.x = { secret_env = 'X', key_file = 'y' }",
            &expect![[r"
                issuer `x` needs one place for its keys
                  ┌ larkspur.toml:1:13
                1 │ auth.issuer.x = { secret_env = 'X', key_file = 'y' }
                  │             ^
                  = help: write jwks_url, jwks_file, key_file (a public key as PEM) or secret_env (the variable with the shared secret)"]],
        );
        check(
            "auth.leeway = '5m'",
            &expect![[r"
                a token is taken for 30s longer than it says at the most
                  ┌ larkspur.toml:1:15
                1 │ auth.leeway = '5m'
                  │               ^^^^"]],
        );
        check(
            "server.public_url = 'http://mcp.example.org/mcp'",
            &expect![[r"
                `http://mcp.example.org/mcp` cannot be the server's public URL
                  ┌ larkspur.toml:1:21
                1 │ server.public_url = 'http://mcp.example.org/mcp'
                  │                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
                  = help: write it as clients do: `https://mcp.example.org/mcp`"]],
        );
    }
}
