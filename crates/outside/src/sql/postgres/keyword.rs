//! What a statement begins with.

use crate::sql::failed;
use model::HostError;

const ENDS_OR_BEGINS: [&str; 6] = ["BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT"];

/// `(SELECT 1)` begins with no word, and is one.
const QUERIES: [&str; 7] = ["SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN", "FETCH"];

/// A script cannot hold a transaction open, nor end one that holds its other statements together,
/// nor leave something behind that outlives both.
pub(super) fn one_of_many(sql: &str) -> Result<(), HostError> {
    let first = first_word(sql).to_ascii_uppercase();
    let instead = match &*first {
        "PREPARE" => "a connection keeps nothing for the next statement",
        first if ENDS_OR_BEGINS.contains(&first) => {
            "postgres.transaction([...]) runs statements all or none"
        }
        _ => return Ok(()),
    };
    failed(format!("{first} cannot be used here: {instead}"))
}

/// A transaction that only reads lets some statements through that are no queries: COPY writes files
/// and runs programs, on the machine of the database.
pub(super) fn a_query(sql: &str) -> Result<(), HostError> {
    let first = first_word(sql).to_ascii_uppercase();
    if QUERIES.contains(&&*first) || first.is_empty() {
        return Ok(());
    }
    failed(format!(
        "{first} is no query, as SELECT, WITH, VALUES, TABLE, SHOW and EXPLAIN are; \
         postgres.execute runs other statements"
    ))
}

fn first_word(sql: &str) -> &str {
    let sql = skip(sql);
    let end = sql.find(|c: char| !c.is_ascii_alphabetic());
    &sql[..end.unwrap_or(sql.len())]
}

/// Without the white space, the comments and the semicolons in front.
fn skip(mut sql: &str) -> &str {
    loop {
        sql = sql.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == '\u{feff}');
        let comment = match sql.get(..2) {
            Some("--") => sql.find('\n'),
            Some("/*") => block(sql),
            _ => return sql,
        };
        sql = comment.map_or("", |end| &sql[end..]);
    }
}

/// Where a block comment ends; in `PostgreSQL` they nest.
fn block(sql: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < sql.len() {
        let rest = &sql.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_found_behind_comments() {
        let check = |sql, word| assert_eq!(first_word(sql), word, "{sql}");
        check("COMMIT", "COMMIT");
        check("  ;;\n commit;", "commit");
        check("-- a\n--b\nBegin", "Begin");
        check("/* a /* b */ c */ END", "END");
        check("/**/SELECT 1", "SELECT");
        check("/* open", "");
        check("-- open", "");
        check("ä", "");
        check("", "");
    }

    #[test]
    fn transactions_are_left_to_the_library() {
        assert_eq!(one_of_many("insert into t values (1)"), Ok(()));
        let refused = one_of_many("/**/ rollback").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "ROLLBACK cannot be used here: postgres.transaction([...]) runs statements all or none"
        );
    }
}
