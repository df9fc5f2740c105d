//! Whose tokens open the server: `[auth]` of `larkspur.toml`.

use crate::Claims;
use crate::document::{Spans, Time};
use crate::server::is_secure;
use indexmap::IndexMap;
use model::{Fault, did_you_mean};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

/// Clocks differ by so much at the most.
const LEEWAY: Duration = Duration::from_secs(30);

/// What a signature may be made with. `none` is not among them.
const ALGORITHMS: [&str; 12] = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA", "HS256",
    "HS384", "HS512",
];

/// Whose tokens are taken, with `auth = "jwt"` under `[server]`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Trust {
    /// Whom tokens are for; `public_url` without this line.
    #[schemars(extend("examples" = [["https://mcp.example.org/mcp"]]))]
    pub audience: Vec<String>,
    /// What they may be signed with.
    pub algorithms: Vec<String>,
    /// How much clocks may differ, 30s at the most.
    #[serde(with = "Time")]
    pub leeway: Duration,
    /// What every token must say: of each claim one of these.
    #[schemars(extend("examples" = [{"tenant": ["acme"]}]))]
    pub claims: Claims,
    /// The claim that names the caller.
    pub user: String,
    #[schemars(extend("propertyNames" = {"examples": ["https://login.example.org"]}))]
    pub issuer: IndexMap<String, Issuer>,
}

/// An issuer, by the name it has for itself, with one place for its keys.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Issuer {
    /// The address its keys are at.
    #[schemars(example = "https://login.example.org/.well-known/jwks.json")]
    jwks_url: Option<String>,
    /// A file with its keys, relative to this file.
    #[schemars(example = "jwks.json")]
    jwks_file: Option<String>,
    /// A file with its public key as PEM.
    #[schemars(example = "issuer.pem")]
    key_file: Option<String>,
    /// The variable with a secret that is shared with it.
    #[schemars(example = &"JWT_SECRET")]
    secret_env: Option<String>,
}

/// Where the keys are that an issuer's tokens are signed with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Keys<'a> {
    JwksUrl(&'a str),
    JwksFile(&'a str),
    /// A public key as PEM.
    KeyFile(&'a str),
    /// A secret shared with the issuer, in this variable.
    Secret(&'a str),
}

impl Default for Trust {
    fn default() -> Self {
        Self {
            audience: Vec::new(),
            algorithms: vec!["RS256".to_owned()],
            leeway: LEEWAY,
            claims: Claims::default(),
            user: "sub".to_owned(),
            issuer: IndexMap::new(),
        }
    }
}

impl Issuer {
    /// Nothing, unless there is one place for them.
    fn keys(&self) -> Option<Keys<'_>> {
        let places = [
            self.jwks_url.as_deref().map(Keys::JwksUrl),
            self.jwks_file.as_deref().map(Keys::JwksFile),
            self.key_file.as_deref().map(Keys::KeyFile),
            self.secret_env.as_deref().map(Keys::Secret),
        ];
        let mut places = places.into_iter().flatten();
        places.next().filter(|_| places.next().is_none())
    }
}

impl Trust {
    /// Issuers, with their keys.
    pub fn issuers(&self) -> impl Iterator<Item = (&str, Keys<'_>)> {
        self.issuer.iter().filter_map(|(name, issuer)| Some((name.as_str(), issuer.keys()?)))
    }

    /// The variables that secrets shared with issuers are in.
    pub fn secret_variables(&self) -> impl Iterator<Item = &str> {
        self.issuer.values().filter_map(|issuer| issuer.secret_env.as_deref())
    }

    pub(crate) fn check(&self, spans: &Spans) -> Result<(), Fault> {
        if let Some(wrong) = self.algorithms.iter().find(|text| !ALGORITHMS.contains(&&***text)) {
            let help = match did_you_mean(wrong, ALGORITHMS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", ALGORITHMS.join(", ")),
            };
            let fault = Fault::new(format!("`{wrong}` is no algorithm for tokens")).help(help);
            return Err(spans.fault(&["auth", "algorithms", wrong], fault));
        }
        // A token that holds long after its end is one that nobody can take back.
        if self.leeway > LEEWAY {
            let fault = Fault::new("a token is taken for 30s longer than it says at the most");
            return Err(spans.fault(&["auth", "leeway"], fault));
        }
        for (name, issuer) in &self.issuer {
            self.check_issuer(name, issuer).map_err(|(key, fault)| {
                let path = ["auth", "issuer", name, key];
                spans.fault(if key.is_empty() { &path[..3] } else { &path }, fault)
            })?;
        }
        Ok(())
    }

    /// What is wrong with an issuer, and with which of its keys.
    fn check_issuer(&self, name: &str, issuer: &Issuer) -> Result<(), (&'static str, Fault)> {
        let Some(keys) = issuer.keys() else {
            let fault = Fault::new(format!("issuer `{name}` needs one place for its keys"));
            let help = "write jwks_url, jwks_file, key_file (a public key as PEM) or secret_env (the \
                        variable with the shared secret)";
            return Err(("", fault.help(help)));
        };
        if let Keys::JwksUrl(url) = keys
            && !is_secure(url)
        {
            let fault = Fault::new(format!("`{url}` is not a URL that keys can be trusted from"));
            return Err(("jwks_url", fault.help("it begins with https://")));
        }
        // A public key that were taken for a shared secret would let anybody sign.
        let is_shared = matches!(keys, Keys::Secret(_));
        if self.algorithms.iter().any(|algorithm| algorithm.starts_with("HS") == is_shared) {
            return Ok(());
        }
        let (has, kind) = if is_shared { ("a secret", "HS256") } else { ("public keys", "RS256") };
        let fault =
            Fault::new(format!("issuer `{name}` has {has}, and `algorithms` has none for that"));
        Err(("", fault.help(format!("add \"{kind}\" to `algorithms` under [auth]"))))
    }
}

#[cfg(test)]
mod tests {
    use crate::Project;
    use expect_test::expect;

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
        assert_eq!(project.server.public_url.as_deref(), Some("https://mcp.example.org/mcp"));
        expect![[r#"Trust { audience: [], algorithms: ["ES256", "HS256"], leeway: 5s, claims: Claims([("tenant", [String("acme")])]), user: "sub", issuer: {"https://login.example.org": Issuer { jwks_url: Some("https://login.example.org/jwks"), jwks_file: None, key_file: None, secret_env: None }, "inside": Issuer { jwks_url: None, jwks_file: None, key_file: None, secret_env: Some("JWT_SECRET") }} }"#]]
        .assert_eq(&format!("{:?}", project.trust));
    }
}
