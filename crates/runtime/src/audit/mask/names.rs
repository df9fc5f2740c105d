//! Names of arguments that hold credentials, in any spelling: `api_key`, `apiKey`, `API-Key`.

use regex::Regex;
use std::sync::LazyLock;

/// Words that make a name a credential's wherever they stand in it.
pub(super) const SECRET_WORDS: &[&str] = &[
    "passw(?:or)?d",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "credential",
    "authorization",
    "(?:access|account|api|client|encryption|private|shared|signing|ssh)[ _.-]?key",
    "bearer",
    "cookie",
    "jwt",
];

/// The same for whole words only: `author`, `compass` and `keyboard` are other things.
const WHOLE_WORDS: &str =
    "(?:^|_)(?:pass|(?:db|root|user)pass|session(?:id)?|signature)(?:_|$)|auth(?:_|$)|keys?(?:_|$)";

/// Ordinary words that begin like one of them.
const ORDINARY: &str = "secretar|tokeni[sz]";

static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = SECRET_WORDS.join("|");
    Regex::new(&format!("{words}|{WHOLE_WORDS}")).ok()
});
static ORDINARY_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(ORDINARY).ok());

/// What a name says about the value it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Anything,
    /// `tokens`: a credential if it is text, a count if it is a number.
    Token,
    Credential,
}

/// Reads the name of an argument.
pub(super) fn holds(name: &str) -> Holds {
    let name = snake_case(name);
    let (Some(secret), Some(ordinary)) = (&*NAME, &*ORDINARY_NAME) else {
        return Holds::Credential;
    };
    let name = ordinary.replace_all(&name, "");
    let mut found = secret.find_iter(&name).peekable();
    if found.peek().is_none() {
        return Holds::Anything;
    }
    if found.all(|word| word.as_str() == "token") {
        return Holds::Token;
    }
    Holds::Credential
}

fn snake_case(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for c in name.chars() {
        if after_lower && c.is_uppercase() {
            words.push('_');
        }
        after_lower = c.is_lowercase();
        words.push(if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_known_in_every_spelling() {
        for name in [
            "pwd",
            "PWD",
            "password",
            "Passwd",
            "dbPassword",
            "db-password",
            "PGPASSWORD",
            "passphrase",
            "secret",
            "clientSecret",
            "CLIENT_SECRET",
            "api_key",
            "apiKey",
            "APIKey",
            "x-api-key",
            "apikey",
            "authorization",
            "Proxy-Authorization",
            "auth",
            "userAuth",
            "credential",
            "credentials",
            "private_key",
            "privateKey",
            "access-key",
            "AWS_SECRET_ACCESS_KEY",
            "AccountKey",
            "ssh key",
            "secret_token",
            "cookie",
            "Set-Cookie",
            "sessionId",
            "key",
            "licenseKey",
            "db_pass",
            "idJwt",
        ] {
            assert_eq!(holds(name), Holds::Credential, "{name}");
        }
        for name in
            ["token", "tokens", "accessToken", "ACCESS_TOKEN", "refresh-token", "max_tokens"]
        {
            assert_eq!(holds(name), Holds::Token, "{name}");
        }
        for name in [
            "",
            "city",
            "author",
            "authors",
            "secretary",
            "tokenize",
            "tokenizer",
            "keyword",
            "keyboard",
            "compass",
            "passenger",
            "sessions",
            "Grüße",
        ] {
            assert_eq!(holds(name), Holds::Anything, "{name}");
        }
    }
}
