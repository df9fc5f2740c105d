//! All pages of a list, whichever way the server has of leading to the next.

use super::answer::{answer, checked};
use super::ask::{Ask, NAMES, pairs, unknown};
use super::wire;
use crate::stdlib::prelude::*;
use crate::stdlib::show;
use model::{HttpRequest, HttpResponse};
use std::collections::HashSet;
use url::Url;

/// What can be given by name besides what a request takes.
const OWN: [&str; 5] = ["next", "items", "limit", "cursor", "page"];

/// How to get from page to page.
#[derive(Default)]
struct Book<'v> {
    next: Option<Value<'v>>,
    /// The parameter that takes a cursor.
    cursor: Option<&'v str>,
    /// The parameter that counts pages.
    page: Option<&'v str>,
    items: Option<&'v str>,
    limit: Option<usize>,
}

pub(super) fn all<'v>(
    url: &str,
    headers: Option<Value<'v>>,
    options: &DictRef<'v>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    Cx::of(eval)?.gauge.leave_trial()?;
    let mut ask = Ask::with(None, headers);
    let book = Book::read(options, &mut ask)?;
    let mut request = ask.request("GET", url, eval)?;
    let mut items = Vec::new();
    let mut seen = HashSet::new();
    loop {
        if !seen.insert(request.url.clone()) {
            return Err(
                anyhow::anyhow!("{} leads back to itself", without_query(&request.url)).into()
            );
        }
        let response = wire(&request, eval)?;
        checked(&request, &response)?;
        let page = answer(&response, eval)?;
        let found = book.items(page)?;
        items.extend_from_slice(found);
        if book.limit.is_some_and(|limit| items.len() >= limit) {
            items.truncate(book.limit.unwrap_or_default());
            break;
        }
        let gauge = &Cx::of(eval)?.gauge;
        gauge.elements(items.len(), "pages")?;
        gauge.in_time()?;
        let Some(next) = book.next(&request, &response, page, found.is_empty(), eval)? else {
            break;
        };
        request.move_to(&parse(&request.url)?, &next);
    }
    Ok(eval.heap().alloc(AllocList(items)))
}

impl<'v> Book<'v> {
    /// Takes what is its own, and leaves the rest to the request.
    fn read(options: &DictRef<'v>, ask: &mut Ask<'v>) -> anyhow::Result<Self> {
        let mut book = Self::default();
        for (name, value) in options.iter() {
            let given = (!value.is_none()).then_some(value);
            match name.unpack_str() {
                Some("next") => book.next = given,
                Some("cursor") => book.cursor = given.map(|v| word("cursor", v)).transpose()?,
                Some("page") => book.page = given.map(|v| word("page", v)).transpose()?,
                Some("items") => book.items = given.map(|v| word("items", v)).transpose()?,
                Some("limit") => book.limit = given.map(limit).transpose()?,
                Some(name) if !NAMES.contains(&name) => return Err(unknown(name, &OWN)),
                _ => ask.set(&show::plain(name), value)?,
            }
        }
        Ok(book)
    }

    fn items(&self, page: Value<'v>) -> anyhow::Result<&'v [Value<'v>]> {
        let path = self.items.unwrap_or_default();
        let found = field(page, "json").and_then(|json| at(json, path));
        let list = found.and_then(ListRef::from_value).map(ListRef::content);
        list.ok_or_else(|| match self.items {
            Some(path) => anyhow::anyhow!("there is no list at `{path}` in the page"),
            None => anyhow::anyhow!(
                "the page is not a list; say where the list is: `items = \"path.to.it\"`"
            ),
        })
    }

    /// Where the next page is, unless this was the last.
    fn next(
        &self,
        request: &HttpRequest,
        response: &HttpResponse,
        page: Value<'v>,
        empty: bool,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Option<Url>> {
        let here = parse(&response.url)?;
        if let Some(name) = self.page {
            let asked = parse(&request.url)?;
            return Ok((!empty).then(|| following(&asked, name)));
        }
        let Some(next) = self.next else {
            let Some(to) = link(&response.headers) else {
                return Ok(None);
            };
            return Ok(Some(join(&here, to)?));
        };
        let (to, is_path) = match next.unpack_str() {
            Some(path) => (field(page, "json").and_then(|json| at(json, path)), true),
            None => (Some(eval.eval_function(next, &[page], &[])?), false),
        };
        let Some(to) = to.filter(|to| to.to_bool()) else {
            return Ok(None);
        };
        if DictRef::from_value(to).is_some() {
            let asked = parse(&request.url)?;
            return Ok(Some(with(&asked, &pairs("next", to)?)));
        }
        let text = show::text(to, eval)?;
        if is_path && !leads(&text) {
            let name = self.cursor.unwrap_or("cursor").to_owned();
            return Ok(Some(with(&parse(&request.url)?, &[(name, text)])));
        }
        Ok(Some(join(&here, &text)?))
    }
}

/// The query may hold a key.
fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Is it a URL, or a part of one, rather than a cursor?
fn leads(text: &str) -> bool {
    text.starts_with(['/', '?']) || text.starts_with("http://") || text.starts_with("https://")
}

fn parse(url: &str) -> anyhow::Result<Url> {
    Url::parse(url).map_err(|error| anyhow::anyhow!("`{url}` is not a URL: {error}"))
}

fn join(here: &Url, to: &str) -> anyhow::Result<Url> {
    here.join(to).map_err(|error| anyhow::anyhow!("the next page, `{to}`, is not a URL: {error}"))
}

fn word<'v>(name: &str, value: Value<'v>) -> anyhow::Result<&'v str> {
    value
        .unpack_str()
        .ok_or_else(|| anyhow::anyhow!("`{name}` is a text, not a {}", value.get_type()))
}

fn limit(value: Value<'_>) -> anyhow::Result<usize> {
    let limit = value.unpack_i32().and_then(|limit| usize::try_from(limit).ok());
    limit
        .ok_or_else(|| anyhow::anyhow!("`limit` is a number of items, not {}", show::quoted(value)))
}

fn field<'v>(value: Value<'v>, name: &str) -> Option<Value<'v>> {
    DictRef::from_value(value)?.get_str(name)
}

/// What lies at `a.b.c`; the value itself at the empty path.
fn at<'v>(value: Value<'v>, path: &str) -> Option<Value<'v>> {
    let mut steps = path.split('.').filter(|step| !step.is_empty());
    steps.try_fold(value, field)
}

/// The URL with these parameters in the place of others of their names.
fn with(url: &Url, params: &[(String, String)]) -> Url {
    let mut url = url.clone();
    let old = url.query_pairs().into_owned();
    let kept: Vec<_> = old.filter(|(name, _)| params.iter().all(|(new, _)| new != name)).collect();
    url.query_pairs_mut().clear().extend_pairs(kept).extend_pairs(params);
    url
}

/// A list without a number is its first page.
fn following(url: &Url, name: &str) -> Url {
    let number = url.query_pairs().find(|(known, _)| known == name);
    let number = number.and_then(|(_, value)| value.parse::<u64>().ok());
    let next = number.unwrap_or(1).saturating_add(1);
    with(url, &[(name.to_owned(), next.to_string())])
}

/// The URL in `link: <…>; rel="next"`.
fn link(headers: &[(String, String)]) -> Option<&str> {
    let mut links = headers.iter().filter(|(name, _)| name == "link");
    links.find_map(|(_, value)| next_link(value))
}

fn next_link(header: &str) -> Option<&str> {
    let mut rest = header;
    while let Some(start) = rest.find('<') {
        let (url, after) = rest[start + 1..].split_once('>')?;
        let end = after.find('<').unwrap_or(after.len());
        if after[..end].split(';').any(is_next) {
            return Some(url);
        }
        rest = &after[end..];
    }
    None
}

fn is_next(param: &str) -> bool {
    let Some((name, value)) = param.split_once('=') else {
        return false;
    };
    let value = value.trim().trim_end_matches(',').trim().trim_matches('"');
    let mut words = value.split_whitespace();
    name.trim().eq_ignore_ascii_case("rel") && words.any(|word| word.eq_ignore_ascii_case("next"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read() {
        let check = |header: &str, expected: Option<&str>| {
            assert_eq!(next_link(header), expected, "{header}");
        };
        check("<https://a.test/?p=2>; rel=\"next\"", Some("https://a.test/?p=2"));
        check("</b>; rel=next", Some("/b"));
        check("</a>; rel=\"prev\", </b>; rel=\"next\"", Some("/b"));
        check("</a,b;c>; title=\"x\"; REL=\"last Next\", </d>; rel=x", Some("/a,b;c"));
        check("</b>; rel=next, </c>; rel=last", Some("/b"));
        check("</a>; rel=\"nextish\"", None);
        check("</a>; rel=\"prev\"", None);
        check("<", None);
        check("", None);
    }

    #[test]
    fn parameters_are_replaced() {
        let url = Url::parse("https://a.test/x?q=a%20b&page=9&page=8").unwrap();
        assert_eq!(following(&url, "page").as_str(), "https://a.test/x?q=a+b&page=10");
        let url = Url::parse("https://a.test/x").unwrap();
        assert_eq!(following(&url, "page").as_str(), "https://a.test/x?page=2");
    }
}
