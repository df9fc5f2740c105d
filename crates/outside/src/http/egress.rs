//! Whom a request may reach: its scheme, its site, then its address. A name's address is judged where
//! names are resolved, with the same words.

use model::{Egress, Reach, Site, is_public};
use reqwest::Url;
use std::net::IpAddr;
use std::str::FromStr;

pub(crate) fn judge(url: &Url, egress: &Egress) -> Result<Reach, String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{}` is neither http nor https", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a URL holds no user and no password; use `auth`".into());
    }
    let site = Site::of(url).ok_or("there is no host in it")?;
    let reach = egress.reach(&site).map_err(|denied| denied.to_string())?;
    // Nobody asks a resolver about an address.
    let is_private = literal(url).is_some_and(|address| !is_public(address));
    if reach == Reach::Public && is_private {
        return Err(egress.not_public(&site).to_string());
    }
    Ok(reach)
}

fn literal(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
    IpAddr::from_str(bare.unwrap_or(host)).ok()
}
