//! Notion: pages, what stands on them, and searches that go on by a cursor.

mod blocks;
mod pages;

use serde_json::{Value, json};

use crate::http::{Answer, Request};
use crate::shape::text;
use crate::standin::Service;

pub(crate) const TOKEN: &str = "ntn_476235982tidewaterStandIn";
const VERSION: &str = "2022-06-28";
const LARGEST_PAGE: usize = 100;

const BOT: &str = include_str!("../../../../modules/notion/payloads/bot.json");
const PERSON: &str = include_str!("../../../../modules/notion/payloads/person.json");

pub(crate) struct Notion {
    /// The last edited first, as searches give them.
    pages: Vec<Value>,
    /// Of all pages, each with its parent.
    blocks: Vec<Value>,
    /// How many ids were given.
    ids: u32,
}

impl Notion {
    pub(crate) fn new() -> Self {
        let mut notion = Self { pages: Vec::new(), blocks: Vec::new(), ids: 0 };
        for (title, about) in pages::PAGES {
            let page = notion.id();
            notion.pages.push(pages::page(
                &page,
                title,
                &json!({"type": "workspace", "workspace": true}),
            ));
            let lines = if about.is_empty() { blocks::DESIGN } else { &[(0, "paragraph", *about)] };
            notion.write(&page, lines);
        }
        notion
    }

    fn id(&mut self) -> String {
        self.ids += 1;
        let mixed = self.ids.wrapping_mul(0x9e37_79b1);
        format!("{mixed:08x}-7d1e-4c5a-9b3f-{:012x}", self.ids)
    }

    /// Lines at their depths, each below the last that is less deep.
    fn write(&mut self, page: &str, lines: &[(usize, &str, &str)]) {
        let mut above = vec![page.to_owned()];
        for (depth, kind, words) in lines {
            above.truncate(depth + 1);
            let id = self.id();
            let parent = above.last().map_or(page, String::as_str);
            self.blocks.push(blocks::block(
                &id,
                parent,
                parent == page,
                kind,
                &blocks::rich(words),
            ));
            above.push(id);
        }
    }

    fn search(&self, request: &Request) -> Answer {
        let query = text(&request.body, "query").to_lowercase();
        let kind = text(&request.body["filter"], "value");
        let found = self.pages.iter().filter(|page| {
            pages::title(page).to_lowercase().contains(&query) && kind != "database"
        });
        listed(found.cloned().collect(), &request.body)
    }

    fn page(&self, id: &str) -> Option<&Value> {
        self.pages.iter().find(|page| is(page, id))
    }

    fn children(&self, request: &Request, parent: &str) -> Answer {
        let is_there =
            self.page(parent).is_some() || self.blocks.iter().any(|block| is(block, parent));
        if !is_there {
            return not_found("block", parent);
        }
        let mut below: Vec<Value> = self.below(parent).cloned().collect();
        for block in &mut below {
            let has_children = self.below(text(block, "id")).next().is_some();
            block["has_children"] = json!(has_children);
        }
        let size = request.number("page_size", LARGEST_PAGE);
        let paging = json!({"page_size": size, "start_cursor": request.asked("start_cursor")});
        listed(below, &paging)
    }

    fn below<'s>(&'s self, parent: &'s str) -> impl Iterator<Item = &'s Value> {
        self.blocks.iter().filter(move |block| {
            let parent_of = &block["parent"];
            let above = parent_of.get("page_id").or(parent_of.get("block_id"));
            above.and_then(Value::as_str).is_some_and(|above| same(above, parent))
        })
    }

    fn append(&mut self, parent: &str, children: &Value) -> Vec<Value> {
        let is_page = self.page(parent).is_some();
        let mut made = Vec::new();
        for child in children.as_array().into_iter().flatten() {
            let (id, kind) = (self.id(), text(child, "type"));
            let words = blocks::completed(&child[kind]["rich_text"]);
            let block = blocks::block(&id, parent, is_page, kind, &words);
            self.blocks.push(block.clone());
            made.push(block);
        }
        made
    }

    fn create(&mut self, body: &Value) -> Answer {
        let parent = text(&body["parent"], "page_id").to_owned();
        if self.page(&parent).is_none() {
            return not_found("page", &parent);
        }
        let id = self.id();
        let words = blocks::completed(&body["properties"]["title"]["title"]);
        let title: String =
            words.as_array().into_iter().flatten().map(|run| text(run, "plain_text")).collect();
        let page = pages::page(&id, &title, &json!({"type": "page_id", "page_id": parent}));
        self.pages.insert(0, page.clone());
        self.append(&id, &body["children"]);
        Answer::json(200, &page)
    }
}

impl Service for Notion {
    fn knows(&self, request: &Request) -> bool {
        request.header("authorization") == Some(&format!("Bearer {TOKEN}"))
    }

    fn unauthorized(&self) -> Answer {
        refused(401, "unauthorized", "API token is invalid.")
    }

    fn too_many(&self) -> Answer {
        refused(
            429,
            "rate_limited",
            "You have been rate limited. Please try again in a few minutes.",
        )
    }

    fn answer(&mut self, request: &Request) -> Answer {
        if request.header("notion-version") != Some(VERSION) {
            let why =
                "Notion-Version header failed validation: Notion-Version header should be defined.";
            return refused(400, "missing_version", why);
        }
        match (request.method.as_str(), request.steps().as_slice()) {
            ("POST", ["v1", "search"]) => self.search(request),
            ("POST", ["v1", "pages"]) => self.create(&request.body),
            ("GET", ["v1", "pages", id]) => match self.page(id) {
                Some(page) => Answer::json(200, page),
                None => not_found("page", id),
            },
            ("GET", ["v1", "blocks", id, "children"]) => self.children(request, id),
            ("PATCH", ["v1", "blocks", id, "children"]) => {
                let made = self.append(id, &request.body["children"]);
                listed(made, &Value::Null)
            }
            ("GET", ["v1", "users", "me"]) => Answer::json(200, &pages::of_ours(BOT)),
            ("GET", ["v1", "users"]) => {
                let all = vec![pages::of_ours(PERSON), pages::of_ours(BOT)];
                listed(all, &Value::Null)
            }
            _ => refused(400, "invalid_request_url", "Invalid request URL."),
        }
    }
}

/// People write ids with dashes and without.
fn same(one: &str, other: &str) -> bool {
    one.replace('-', "") == other.replace('-', "")
}

fn is(thing: &Value, id: &str) -> bool {
    same(text(thing, "id"), id)
}

/// From the cursor on, which is the id of the first that is wanted.
fn listed(all: Vec<Value>, paging: &Value) -> Answer {
    let size = paging["page_size"].as_u64().and_then(|size| usize::try_from(size).ok());
    let size = size.unwrap_or(LARGEST_PAGE).clamp(1, LARGEST_PAGE);
    let start = match paging["start_cursor"].as_str() {
        None => Some(0),
        Some(cursor) => all.iter().position(|thing| is(thing, cursor)),
    };
    let Some(start) = start else {
        return refused(400, "validation_error", "The start_cursor provided is invalid.");
    };
    let next = all.get(start + size).map(|thing| thing["id"].clone());
    let results: Vec<Value> = all.into_iter().skip(start).take(size).collect();
    Answer::json(
        200,
        &json!({
            "object": "list",
            "results": results,
            "next_cursor": next,
            "has_more": next.is_some(),
            "type": "page_or_database",
            "page_or_database": {},
            "request_id": "3f4e7c1b-0d55-4a0e-9a34-2f5c0a7a11d9",
        }),
    )
}

fn not_found(what: &str, id: &str) -> Answer {
    let why = format!(
        "Could not find {what} with ID: {id}. Make sure the relevant pages and databases are shared with \
         your integration."
    );
    refused(404, "object_not_found", &why)
}

fn refused(status: u16, code: &str, message: &str) -> Answer {
    Answer::json(
        status,
        &json!({"object": "error", "status": status, "code": code, "message": message}),
    )
}
