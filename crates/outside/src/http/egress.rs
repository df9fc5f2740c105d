//! Whom a request may reach: its scheme, its site, then its address. A name's address is judged where
//! names are resolved, with the same words.

use super::address::is_public;
use model::{Egress, Site};
use reqwest::Url;
use std::net::IpAddr;
use std::str::FromStr;

/// Why a request may go out, which decides the addresses it may go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The site is granted by name, wherever it lies.
    Granted,
    /// Any public address.
    Public,
}

pub(crate) fn judge(url: &Url, egress: &Egress) -> Result<Reach, String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{}` is neither http nor https", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a URL holds no user and no password; use `auth`".into());
    }
    let site = Site::of(url).ok_or("there is no host in it")?;
    if egress.granted.iter().any(|pattern| site.matches(pattern)) {
        return Ok(Reach::Granted);
    }
    if !egress.public {
        return Err(format!(
            "{site} is not among the hosts this module may reach; {}",
            way_out(&site)
        ));
    }
    // Nobody asks a resolver about an address.
    if literal(url).is_some_and(|address| !is_public(address)) {
        return Err(not_public(url));
    }
    Ok(Reach::Public)
}

/// The words for a host that is here or next door. Where exactly is not said.
pub(crate) fn not_public(url: &Url) -> String {
    match Site::of(url) {
        Some(site) => format!(
            "{site} is not a public host, and other hosts are granted by name; {}",
            way_out(&site)
        ),
        None => "there is no host in it".into(),
    }
}

fn way_out(site: &Site) -> String {
    format!("add \"{site}\" to http in [permissions] of module.toml")
}

fn literal(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
    IpAddr::from_str(bare.unwrap_or(host)).ok()
}
