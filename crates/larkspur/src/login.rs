//! How callers over HTTP prove who they are: what `larkspur.toml` says, with the keys it names.

use crate::compose;
use crate::doors::Refused;
use crate::variables::TOKEN;
use model::World;
use runtime::ProjectFile;
use server::{BadKeys, Jwks, Jwt, KeySet, Login, Source, Token};
use settings::{Auth, Keys};
use std::path::Path;
use std::sync::Arc;

/// And whether a token was made just now: then somebody must be told.
pub(crate) fn login(
    auth: Auth,
    is_flag: bool,
    project: &ProjectFile,
) -> Result<(Login, bool), Refused> {
    match auth {
        Auth::None => Ok((Login::Open, false)),
        Auth::Token => token().map(|(token, made)| (Login::Token(token), made)),
        Auth::Jwt => jwt(is_flag, project).map(|jwt| (Login::Jwt(Arc::new(jwt)), false)),
    }
}

fn jwt(is_flag: bool, file: &ProjectFile) -> Result<Jwt, Refused> {
    let project = file.project();
    let trust = &project.trust;
    let Some(public_url) = project.server.public_url.clone() else {
        let why = format!(
            "auth = \"jwt\" needs the server's address as clients know it: add public_url = \
             \"https://mcp.example.org/mcp\" to [server] in {}",
            file.path().display()
        );
        return Err(Refused::said_by(is_flag, why));
    };
    if trust.issuer.is_empty() {
        let why = format!(
            "auth = \"jwt\" needs somebody whose tokens are taken: add \
             [auth.issuer.\"https://login.example.org\"] with jwks_url to {}",
            file.path().display()
        );
        return Err(Refused::said_by(is_flag, why));
    }
    let home = file.path().parent().unwrap_or(Path::new(""));
    let world = compose::world(project);
    let issuers = trust.issuers();
    let issuers =
        issuers.map(|(name, keys)| Ok((name.to_owned(), source(name, keys, home, &world)?)));
    let issuers = issuers.collect::<Result<Vec<_>, Refused>>()?;
    Ok(Jwt::new(trust.clone(), public_url, issuers))
}

fn source(
    issuer: &str,
    keys: Keys<'_>,
    home: &Path,
    world: &Arc<dyn World>,
) -> Result<Source, Refused> {
    let of = |what: &str, why: &dyn std::fmt::Display| {
        Refused::new(format!("keys of issuer `{issuer}`: {what}: {why}"))
    };
    let read = |file: &str, take: fn(&[u8]) -> Result<KeySet, BadKeys>| {
        let path = world.real_path(&home.join(file));
        let text = path.and_then(|path| world.file_read(&path));
        let text = text.map_err(|error| of(file, &error))?;
        let keys = take(text.as_bytes()).map_err(|bad| of(file, &bad))?;
        Ok(Source::from(keys))
    };
    match keys {
        Keys::JwksUrl(url) => Ok(Jwks::new(url, Arc::clone(world)).into()),
        Keys::JwksFile(file) => read(file, KeySet::jwks),
        Keys::KeyFile(file) => read(file, KeySet::pem),
        Keys::Secret(name) => {
            let secret = compose::variables().find(|(known, _)| known == name);
            let (_, secret) = secret.ok_or_else(|| of(name, &"this variable is not set"))?;
            let keys = KeySet::secret(&secret).map_err(|bad| of(name, &bad))?;
            Ok(keys.into())
        }
    }
}

fn token() -> Result<(Token, bool), Refused> {
    match compose::variables().find(|(name, _)| name == TOKEN) {
        Some((_, text)) => {
            let token = Token::new(text).map_err(|why| Refused::new(format!("{TOKEN}: {why}")))?;
            Ok((token, false))
        }
        None => Ok((Token::random().map_err(Refused::new)?, true)),
    }
}
