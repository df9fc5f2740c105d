//! A secret in the clear: it goes into a request or a child's environment, and cannot be printed; and
//! where it comes from.

use crate::host::{HostError, World};
use crate::{Caller, Leash};
use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself: for those who put it where it belongs.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Whose secret is meant: of which module, by which name, and for whom it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretName<'a> {
    pub module: &'a str,
    pub name: &'a str,
    /// The caller: what he has put in himself comes before what is there for all.
    pub user: &'a str,
}

impl SecretName<'_> {
    /// The words for one that is not there, with the command that changes that.
    pub fn not_set(&self) -> HostError {
        let Self { module, name, user } = self;
        let sets = format!("`larkspur secret set {module}.{name}");
        let way_out = if user.is_empty() || *user == Caller::default().name {
            format!("{sets}` sets it")
        } else {
            format!("{sets}` sets it for all, {sets} --user {user}` for {user} alone")
        };
        HostError(format!("the secret `{name}` of module `{module}` is not set; {way_out}"))
    }
}

/// Which value a secret's name stands for, without the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretStamp {
    /// Whether it is the user's own, not the server's.
    pub personal: bool,
    /// Changes whenever the secret is set; a token keeps it when it is renewed.
    pub version: u64,
}

/// Where secrets are kept.
pub trait Secrets: Send + Sync {
    /// What it is: the user's own, or else the server's. One that has to be renewed is, by way of
    /// this world.
    fn reveal(
        &self,
        wanted: &SecretName<'_>,
        world: &dyn World,
        leash: &Leash,
    ) -> Result<Secret, HostError>;

    /// Is it set, for this user or for all?
    fn has(&self, wanted: &SecretName<'_>) -> Result<(), HostError>;

    /// Which value it stands for, if it is set for this user or for all.
    fn stamp(&self, wanted: &SecretName<'_>) -> Result<Option<SecretStamp>, HostError>;

    /// Has anybody set it?
    fn is_set(&self, module: &str, name: &str) -> Result<bool, HostError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_says_how_to_set_it() {
        let check = |user: &str, expected: &str| {
            let wanted = SecretName { module: "github", name: "token", user };
            assert_eq!(wanted.not_set().0, expected);
        };
        let plain = "the secret `token` of module `github` is not set; \
                     `larkspur secret set github.token` sets it";
        check("", plain);
        check("local", plain);
        check(
            "ada",
            "the secret `token` of module `github` is not set; `larkspur secret set github.token` \
             sets it for all, `larkspur secret set github.token --user ada` for ada alone",
        );
    }
}
