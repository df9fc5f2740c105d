//! Shapes of credentials inside text: one table, compiled once, matched in linear time.

use super::names::SECRET_WORDS;
use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use std::ops::Range;
use std::sync::LazyLock;

/// A shape: the pattern, and what the match must also be. Where a pattern has a group, the group is the
/// credential; else the whole match is.
type Shape = (&'static str, Test);
type Test = fn(&str) -> bool;

/// Shapes that need no look at their context. Lengths are lower bounds: issuers lengthen their tokens.
const SHAPES: &[Shape] = &[
    // Private keys, also without an end.
    (
        r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----|\z)",
        any,
    ),
    (r"AGE-SECRET-KEY-1[A-Z0-9]{20,}", any),
    // JSON Web Tokens, signed or encrypted.
    (r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)*", any),
    // GitHub.
    (r"gh[pousr]_[A-Za-z0-9]{16,}", any),
    (r"github_pat_[A-Za-z0-9_]{16,}", any),
    // GitLab.
    (r"\bgl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[\w.-]{16,}", any),
    // OpenAI, Anthropic and other services of models.
    (r"\bsk-[\w-]{16,}", any),
    (r"\bgsk_[A-Za-z0-9]{20,}", any),
    (r"\b(?:xai|pplx)-[A-Za-z0-9]{30,}", any),
    (r"\bhf_[A-Za-z0-9]{16,}", any),
    (r"\br8_[A-Za-z0-9]{30,}", any),
    // Amazon.
    (r"\b(?:ABIA|ACCA|AKIA|ASIA)[A-Z0-9]{12,}", any),
    // Google.
    (r"AIza[\w-]{20,}", any),
    (r"\bya29\.[\w-]{16,}", any),
    (r"GOCSPX-[\w-]{16,}", any),
    // Microsoft.
    (r"(?i)[?&]sig=([\w%+/=-]{16,})", any),
    (r"https://[\w.-]+\.webhook\.office\.com/([^\s\x22']+)", any),
    // Slack and other chats.
    (r"\bxox[a-z](?:\.xox[a-z])?-[\w-]{10,}", any),
    (r"\bxapp-[\w-]{10,}", any),
    (r"hooks\.slack(?:-gov)?\.com/(?:services|triggers|workflows)/([\w/-]+)", any),
    (r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/([\w/-]+)", any),
    (r"\b\d{8,12}:AA[\w-]{30,}", any),
    // Notion, Atlassian, Linear, Figma, Airtable.
    (r"\bntn_[A-Za-z0-9]{16,}", any),
    (r"\bsecret_[A-Za-z0-9]{16,}", any),
    (r"\bAT(?:ATT|CTT|STT|BB)[\w=-]{16,}", any),
    (r"\blin_(?:api|oauth)_[A-Za-z0-9]{16,}", any),
    (r"\bfig[a-z]{1,2}_[\w-]{30,}", any),
    (r"\bpat[A-Za-z0-9]{14}\.[a-f0-9]{32,}", any),
    // Payments and shops.
    (r"\b[prs]k_(?:live|test)_[A-Za-z0-9]{10,}", any),
    (r"\bwhsec_[A-Za-z0-9+/=]{16,}", any),
    (r"\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{24,}", any),
    (r"\bsq0[a-z]{3}-[\w-]{20,}", any),
    // Mail and telephone.
    (r"\bSG\.[\w-]{16,}\.[\w-]{16,}", any),
    (r"\bkey-[a-f0-9]{32}", any),
    (r"\bSK[a-f0-9]{32}", any),
    // Package registries.
    (r"\bnpm_[A-Za-z0-9]{20,}", any),
    (r"\bpypi-(?:AgE[\w-]{8,}|[\w-]{40,})", any),
    (r"\brubygems_[a-f0-9]{32,}", any),
    (r"\bdckr_[a-z]{3}_[\w-]{16,}", any),
    // Hosts and operations.
    (r"\bdo[opr]_v1_[a-f0-9]{32,}", any),
    (r"\bdapi[a-f0-9]{32}", any),
    (r"\bdp\.[a-z]{2,5}\.[\w.-]{20,}", any),
    (r"\bhv[brs]\.[\w-]{20,}", any),
    (r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}", any),
    (r"\bgl(?:c|sa)_[\w+/=-]{20,}", any),
    (r"\bNRAK-[A-Z0-9]{20,}", any),
    (r"\bsntry[su]_[\w+/=-]{20,}", any),
    (r"\bsb(?:p|_secret)_[\w-]{20,}", any),
    // User and password of a URL. A port is digits only, so anything else after a colon is a password, even
    // with characters that should be escaped.
    (r"\b[A-Za-z][\w+.-]*://([^\s/?#\x22'<>]+)@", any),
    (r"\b[A-Za-z][\w+.-]*://([^\s/?#@:\[]*:\d*[^\d\s/?#@\x22'<>][^\s@\x22'<>]*)@", any),
    // Headers.
    (r"(?i)^\s*bearer\s+(\S+)\s*$", any),
    (r"(?i)\bbearer\s+([\w.~+/=-]{8,})", is_random),
    (r"(?i)\bbasic\s+([A-Za-z0-9+/=_-]{6,})", is_random),
    (r"(?i)authorization\\?[\x22']?\s*[:=]\s*\\?[\x22']?([^\r\n\x22']+)", any),
    (r"(?i)\bcookie:\s*(\S[^\r\n\x22']*)", any),
];

/// Settings in text, such as `api_key=…`, `"token": "…"` or `--client-secret …`; `{WORD}` is one of the words.
const ASSIGNED: &[Shape] = &[
    (
        r"(?i)(?:passw(?:or)?d|passphrase|pwd)\\?[\x22']?\s{0,3}[:=]\s{0,3}\\?[\x22']?([^\s\x22'&,;\\]+)",
        any,
    ),
    (
        r"(?i)(?:{WORD})s?(?:[_.-]\w{1,20})?\\?[\x22']?\s{0,3}=\s{0,3}\\?[\x22']?([^\s\x22'&,;\\]+)",
        is_not_count,
    ),
    (
        r"(?i)(?:{WORD})s?(?:[_.-]\w{1,20})?\\?[\x22']?\s{0,3}:\s{0,3}\\?[\x22']([^\s\x22'&,;\\]+)",
        is_not_count,
    ),
    (r"(?i)(?:{WORD})s?(?:[_.-]\w{1,20})?\\?[\x22']?\s{0,3}:\s{0,3}([^\s\x22'&,;\\]+)", is_random),
    (r"(?i)--?[\w-]{0,40}(?:{WORD})\s+([^\s\x22'-]\S*)", is_not_count),
];

fn any(_: &str) -> bool {
    true
}

/// A credential is a word of no language: it has digits, `=`, or capitals inside, or it is very long.
fn is_random(text: &str) -> bool {
    let inner = text.as_bytes().windows(2);
    text.len() >= 6
        && (text.len() >= 32
            || text.bytes().any(|byte| byte.is_ascii_digit() || byte == b'=')
            || inner
                .into_iter()
                .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()))
}

/// `max_tokens=100` is a setting like any other.
fn is_not_count(text: &str) -> bool {
    text.parse::<f64>().is_err() && !matches!(text, "true" | "false" | "null" | "None")
}

struct Shapes {
    all: RegexSet,
    each: Vec<(Regex, Test)>,
}

static COMPILED: LazyLock<Option<Shapes>> = LazyLock::new(|| Shapes::compile().ok());

impl Shapes {
    /// Matches bytes, so that classes are ASCII and stay small.
    fn compile() -> Result<Self, regex::Error> {
        let words = SECRET_WORDS.join("|");
        let fixed = SHAPES.iter().chain(ASSIGNED);
        let shapes = fixed.map(|(pattern, test)| (pattern.replace("{WORD}", &words), *test));
        let shapes: Vec<(String, Test)> = shapes.collect();
        let patterns = shapes.iter().map(|(pattern, _)| pattern);
        let all = RegexSetBuilder::new(patterns).unicode(false).build()?;
        let each = shapes.iter().map(|(pattern, test)| {
            let regex = RegexBuilder::new(pattern).unicode(false).build()?;
            Ok((regex, *test))
        });
        let each = each.collect::<Result<_, regex::Error>>()?;
        Ok(Self { all, each })
    }
}

/// Places of credentials in a text, in order and without overlap.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let Some(shapes) = &*COMPILED else {
        // Unreachable while the tests pass; masking everything is the safe side.
        return std::iter::once(0..text.len()).collect();
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    for index in shapes.all.matches(text.as_bytes()) {
        let (regex, test) = &shapes.each[index];
        for groups in regex.captures_iter(text.as_bytes()) {
            let Some(credential) = groups.iter().flatten().last() else {
                continue;
            };
            let start = text.floor_char_boundary(credential.start());
            let end = text.ceil_char_boundary(credential.end());
            if test(&text[start..end]) {
                found.push(start..end);
            }
        }
    }
    merge(found)
}

fn merge(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|range| (range.start, range.end));
    found.dedup_by(|next, kept| {
        let overlaps = next.start < kept.end;
        if overlaps {
            kept.end = kept.end.max(next.end);
        }
        overlaps
    });
    found
}
