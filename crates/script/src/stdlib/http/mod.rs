//! `http`: requests to other servers, and their answers as dicts.

mod answer;
mod ask;
mod charset;
mod pages;
mod proof;

use crate::stdlib::prelude::*;
use answer::{answer, checked, failed};
use ask::Ask;
pub(crate) use ask::pairs;
use model::{HttpRequest, HttpResponse};

/// So many answers lie here at the most before they are part of the script's memory, which has a
/// limit.
const AT_ONCE: usize = 16;

/// The world is asked here and nowhere else.
fn wire(request: &HttpRequest, eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<HttpResponse> {
    let leash = Cx::of(eval)?.gauge.leash();
    Ok(Cx::host(eval)?.http(request, &leash)?)
}

fn send<'v>(
    method: &str,
    url: &str,
    mut ask: Ask<'v>,
    options: &DictRef<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Value<'v>> {
    Cx::of(eval)?.gauge.leave_trial()?;
    ask.read(options)?;
    let request = ask.request(method, url, eval)?;
    let response = wire(&request, eval)?;
    if ask.check {
        checked(&request, &response)?;
    }
    answer(&response, eval)
}

macro_rules! verbs {
    ($($(#[$doc:meta])* $name:ident($($body:ident)?) => $method:literal;)*) => {
        /// Requests to other servers, judged, followed, tried again and never too long.
        #[starlark_module]
        fn verbs(builder: &mut GlobalsBuilder) {
            $($(#[$doc])*
            fn $name<'v>(
                url: &str,
                $($body: Option<Value<'v>>,)?
                headers: Option<Value<'v>>,
                #[starlark(kwargs)] options: DictRef<'v>,
                eval: &mut Evaluator<'v, '_, '_>,
            ) -> anyhow::Result<Value<'v>> {
                let body = None$(.or($body))?;
                send($method, url, Ask::with(body, headers), &options, eval)
            })*
        }
    };
}

verbs! {
    /// Asks for what lies at a URL.
    ///
    /// Every function of this library takes by name: `params` (a dict, added to the URL), `headers`,
    /// `body`, `json` (any value, sent as JSON), `form` (a dict), `auth` (a `(user, password)` pair, or
    /// a token that is sent as bearer; password, token and the values of `headers` may be secrets),
    /// `timeout` (seconds or `"500ms"`), `check` (True makes an answer other than 2xx an error),
    /// `redirects` (False makes a redirect the answer), `retries` (False tries once; else what can be
    /// asked twice without harm is tried three times).
    ///
    /// The answer is a dict: `status` (also as `status_code`), `ok` (also as `success`), `url`,
    /// `headers` (names in small letters), `body` and, only if the body is JSON, `json`. Where the
    /// body is no UTF-8 text, `body` has a replacement character for each piece that is none, and
    /// `body_base64` holds every byte.
    ///
    /// A module names the hosts it may reach as `http`: in `[permissions]` of its `module.toml`, or in
    /// `permissions(…)` of a single file. Addresses of this machine and of private networks are reached only where
    /// they are named.
    ///
    /// Examples:
    /// ```python
    /// >>> http.get("https://api.example.org/items/3")["json"]
    /// {"id": 3, "name": "screws"}
    /// >>> http.get("https://api.example.org/items", params = {"q": "nuts"})["url"]
    /// "https://api.example.org/items?q=nuts"
    /// >>> http.get("https://api.example.org/items/9")["status"]
    /// 404
    /// >>> http.get("https://api.example.org/items/9", check = True)
    /// error: GET https://api.example.org/items/9 answered 404: no such item
    /// ```
    get() => "GET";

    /// Asks for the headers of what lies at a URL; takes and answers as `http.get` does.
    ///
    /// Examples:
    /// ```python
    /// >>> http.head("https://api.example.org/items/3")["headers"]["content-type"]
    /// "application/json"
    /// ```
    head() => "HEAD";

    /// Asks what can be done with a URL; takes and answers as `http.get` does.
    ///
    /// Examples:
    /// ```python
    /// >>> http.options("https://api.example.org/items/3")["headers"]["allow"]
    /// "GET, PUT, PATCH, DELETE"
    /// ```
    options() => "OPTIONS";

    /// Removes what lies at a URL; takes and answers as `http.get` does.
    ///
    /// Examples:
    /// ```python
    /// >>> http.delete("https://api.example.org/items/3", auth = ("ada", "secret"))["status"]
    /// 204
    /// ```
    delete() => "DELETE";

    /// Sends something to a URL; a body that is a dict or a list goes as JSON.
    ///
    /// It is not tried again, since it might be done twice. The rest is as for `http.get`.
    ///
    /// Examples:
    /// ```python
    /// >>> http.post("https://api.example.org/items", json = {"name": "nuts"})["json"]
    /// {"name": "nuts"}
    /// >>> http.post("https://api.example.org/items", form = {"name": "nuts", "size": 4})["body"]
    /// "name=nuts&size=4"
    /// ```
    post(body) => "POST";

    /// Puts something at a URL; a body that is a dict or a list goes as JSON.
    ///
    /// The rest is as for `http.get`.
    ///
    /// Examples:
    /// ```python
    /// >>> http.put("https://api.example.org/items/3", {"name": "nuts"})["ok"]
    /// True
    /// ```
    put(body) => "PUT";

    /// Changes a part of what lies at a URL; a body that is a dict or a list goes as JSON.
    ///
    /// The rest is as for `http.get`.
    ///
    /// Examples:
    /// ```python
    /// >>> http.patch("https://api.example.org/items/3", json = {"size": 5})["json"]
    /// {"size": 5}
    /// ```
    patch(body) => "PATCH";
}

pub(super) fn natives(builder: &mut GlobalsBuilder) {
    requests(builder);
    // The last one says what all of them are for.
    verbs(builder);
}

#[starlark_module]
fn requests(builder: &mut GlobalsBuilder) {
    /// Sends a request with a method of any name; the rest is as for `http.get`.
    ///
    /// Examples:
    /// ```python
    /// >>> http.request("get", "https://api.example.org/items/3")["ok"]
    /// True
    /// ```
    fn request<'v>(
        method: &str,
        url: &str,
        #[starlark(kwargs)] options: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let method = method.to_ascii_uppercase();
        send(&method, url, Ask::default(), &options, eval)
    }

    /// The items of all pages of a list, as one list.
    ///
    /// The next page is where the header `link` with `rel="next"` says. Else name the way: `next`
    /// is a path into the answer's JSON (`"meta.next"`) with a URL or a cursor, which is sent as
    /// the parameter that `cursor` names; or a function that takes the answer and gives a URL, a
    /// dict of parameters, or None at the end. `page` names a parameter that counts pages, until
    /// one is empty. `items` is the path to the list, if a page is not one. `limit` is the most
    /// items. An answer other than 2xx is an error. The rest is as for `http.get`.
    ///
    /// Examples:
    /// ```python
    /// >>> http.pages("https://api.example.org/items", limit = 3)
    /// ["screws", "nuts", "bolts"]
    /// >>> http.pages("https://api.example.org/search", items = "found", next = "more", cursor = "after")
    /// ["a", "b", "c"]
    /// ```
    fn pages<'v>(
        url: &str,
        headers: Option<Value<'v>>,
        #[starlark(kwargs)] options: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        pages::all(url, headers, &options, eval)
    }

    /// The answers to several requests, sent at once, in the order of the requests.
    ///
    /// Each is a URL, or a dict with `url`, `method` and what `http.get` takes by name; what is given by
    /// name here is for all of them. A request that gets no answer does not stop the others: its
    /// answer has status 0 and the reason as `error`. With `check = True` it is an error.
    ///
    /// Examples:
    /// ```python
    /// >>> [a["status"] for a in http.get_all(["https://api.example.org/items/3", "https://api.example.org/items/9"])]
    /// [200, 404]
    /// ```
    fn get_all<'v>(
        #[starlark(require = pos)] requests: &ListRef<'v>,
        #[starlark(kwargs)] options: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        Cx::of(eval)?.gauge.leave_trial()?;
        let mut check = Vec::with_capacity(requests.len());
        let mut built = Vec::with_capacity(requests.len());
        for one in requests.iter() {
            let (ask, method, url) = Ask::one_of_many(one, &options)?;
            built.push(ask.request(&method, &url, eval)?);
            check.push(ask.check);
        }
        let mut answers = Vec::with_capacity(built.len());
        for (requests, check) in built.chunks(AT_ONCE).zip(check.chunks(AT_ONCE)) {
            let leash = Cx::of(eval)?.gauge.leash();
            let responses = Cx::host(eval)?.http_all(requests, &leash);
            for ((request, check), response) in requests.iter().zip(check).zip(responses) {
                answers.push(match response {
                    Ok(response) => {
                        if *check {
                            checked(request, &response)?;
                        }
                        answer(&response, eval)?
                    }
                    Err(error) if *check => return Err(error.into()),
                    Err(error) => failed(request, &error, eval),
                });
            }
        }
        Ok(eval.heap().alloc(AllocList(answers)))
    }
}
