//! The whole product, driven as its users drive it: real processes, real folders, real pipes.
#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests own their folders and their processes"
)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "`json!` reads best where it is written"
)]

mod asking;
mod audit;
mod audit_refuse;
mod auth;
mod batch;
mod batch_memory;
mod book;
mod bounds;
mod cached_secrets;
mod caching;
mod callers;
mod calls;
mod canary;
mod check;
mod client;
mod clients;
mod codes;
mod commands;
mod compact;
mod config;
mod config_show;
mod connections;
mod contract;
mod corpus;
mod costs;
mod coverage;
mod data_folder;
mod databases;
mod dev;
mod diamond;
mod doc;
mod doctor;
mod documents;
mod duplicate_keys;
mod ending;
mod entrance;
mod examples;
mod exec;
mod extensions;
mod extensions_sql;
mod fixture;
mod folder;
mod foreach;
mod frames;
mod fuzz;
mod gate;
mod graph;
mod graphs;
mod http;
mod imports;
mod incidents;
mod install;
mod issuer;
mod kept;
mod lifecycle;
mod limits;
mod lines;
mod links;
mod listen;
mod logs;
mod lsp;
mod machine_paths;
mod manifests;
mod mapped;
mod nested;
mod network;
mod new;
mod notion;
mod oauth;
mod offers;
mod orders;
mod owners;
mod pages;
mod permissions;
mod prompts;
mod protocol;
mod quotas;
mod recording;
mod registry;
mod reload;
mod resources;
mod restart;
mod roads;
mod room;
mod saved;
mod schema;
mod screen;
mod secrets;
mod shortcut;
mod slow;
mod soak;
mod state;
mod status;
mod stream;
mod structured_text;
mod suites;
mod surface;
mod tasks;
mod testing;
mod toon;
mod transcript;
mod typed;
mod units;
mod upstream;
mod watching;
mod web;
mod wire;
