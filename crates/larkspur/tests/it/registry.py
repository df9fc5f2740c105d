"""Runs a batch across the modules for Notion, GitHub and Jira with Python's MCP client, and looks at what
came of it in all three services. What it prints are the facts, one a line.

Usage: registry.py TOKENS MODE SERVER, with TOKENS `right` or `wrong`, and the server's program or its URL
"""

import json
import os
import sys

import anyio
from mcp import Client, StdioServerParameters

PATIENCE = 50

REPO = "tidewater/ticketing"

BATCH = [
    {"id": "find", "module": "notion", "tool": "search", "params": {"query": "design"}, "output": True},
    {
        "id": "page",
        "module": "notion",
        "tool": "get_page_content",
        "params": {"page_id": "${find.results[0].id}", "page_size": 4, "fetch_all": True},
        "output": True,
    },
    {
        "id": "issues",
        "module": "github",
        "tool": "list_issues",
        "params": {"repo": REPO, "state": "all", "fetch_all": True},
        "select": ["number", "title"],
        "output": "toon",
    },
    {
        "id": "tickets",
        "module": "jira",
        "tool": "search",
        "params": {
            "jql": "project = TIDE AND labels = offline AND statusCategory != Done",
            "page_size": 6,
            "fetch_all": True,
        },
        "output": True,
    },
    {
        "id": "made",
        "module": "jira",
        "tool": "create_issue",
        "params": {
            "project": "TIDE",
            "summary": "${issues.results[0].title}",
            "description": "See ${issues.results[0].html_url} and ${find.results[0].url}",
        },
        "after": ["tickets"],
        "raw_output": True,
    },
    {
        "id": "tell",
        "module": "github",
        "tool": "add_issue_comment",
        "params": {"repo": REPO, "number": "${issues.results[0].number}", "body": "We work on it as ${made.key}."},
    },
    {
        "id": "note",
        "module": "notion",
        "tool": "create_page",
        "params": {
            "parent_id": "${find.results[0].id}",
            "title": "Minutes",
            "markdown": "- [ ] ${made.key}: ${issues.results[0].title}",
        },
        "after": ["tell"],
        "raw_output": True,
    },
]


async def main(tokens: str, mode: str, server: str) -> None:
    if server.startswith("http"):
        where = server
    else:
        kept = ["XDG_RUNTIME_DIR", "LARKSPUR_VAULT_KEY", "LARKSPUR_VAULT_KEYRING"]
        env = {name: os.environ[name] for name in kept}
        where = StdioServerParameters(command=server, args=["serve"], env=env)
    async with Client(where, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        print("tools:", ", ".join(tools))
        await (run(client) if tokens == "right" else refused(client))


async def run(client: Client) -> None:
    result = await client.call_tool("batch", {"tasks": BATCH})
    assert not result.is_error, result
    # A block for each task: its id, a note in brackets, and the result below.
    blocks = [block.text.split("\n", 1) for block in result.content]
    results = {line.split(":", 1)[0]: text.rstrip("\n") for line, text in blocks}
    assert list(results) == ["find", "page", "issues", "tickets", "made", "note"], list(results)
    find, page = results["find"].splitlines(), results["page"]
    assert find[0] == "results[3]{id,title,type}:", find
    first = find[1].strip().split(",")[0]
    print("find:", find[1].split(",", 1)[1])
    assert page.startswith("# Offline tickets\n\nHalf of our passengers"), page
    assert "  - it has the keys of the last two days\n" in page, page
    assert page.endswith("- [ ] What does the crew do when a phone is flat?"), page
    print("page:", len(page.splitlines()), "lines")
    assert results["issues"].splitlines()[0].endswith("{number,title}:"), results["issues"][:80]
    print("issues:", results["issues"].splitlines()[0].strip())
    print("tickets:", results["tickets"].splitlines()[0])
    made, note = json.loads(results["made"])["key"], json.loads(results["note"])["id"]
    print("made:", made)
    await look(client, first, made, note)
    await prompts(client, first, made)


async def look(client: Client, page: str, made: str, note: str) -> None:
    """What the tasks have handed to each other is in all three services."""
    design = await read(client, f"notion://page/{page}")
    assert design.startswith("# Offline tickets: design\n\n# Offline tickets\n"), design
    readme = await read(client, f"github://{REPO}/readme")
    assert readme.startswith("# ticketing\n"), readme
    ticket = await read(client, f"jira://issue/{made}")
    print("ticket:", ticket.splitlines()[0])
    assert page.replace("-", "") in ticket, ticket
    number = ticket.split("/issues/")[1].split()[0].split("]")[0].split(")")[0]
    params = {"repo": REPO, "number": int(number), "comments": True}
    issue = await client.call_tool("call", {"module": "github", "tool": "get_issue", "params": params})
    assert issue.content[0].text.endswith(f"We work on it as {made}."), issue
    # Its first line is the note.
    print("issue:", issue.content[0].text.splitlines()[1])
    minutes = await read(client, f"notion://page/{note}")
    print("minutes:", minutes.splitlines()[2])


async def read(client: Client, uri: str) -> str:
    contents = (await client.read_resource(uri)).contents[0]
    assert contents.mime_type == "text/markdown", contents
    return contents.text


async def prompts(client: Client, page: str, made: str) -> None:
    wanted = [
        ("summarize_page", {"page": page}),
        ("triage_issues", {"repo": REPO}),
        ("triage", {"key": made}),
    ]
    for name, arguments in wanted:
        message = (await client.get_prompt(name, arguments)).messages[0]
        print(f"{name}: {message.content.text.splitlines()[0].replace(page, 'PAGE')}")


async def refused(client: Client) -> None:
    """Each service says no, in words that tell what to do; the server goes on."""
    result = await client.call_tool("batch", {"tasks": BATCH})
    assert result.is_error, result
    answer = {}
    for block in result.content:
        task, ended = block.text.rstrip("\n").split(": ", 1)
        answer[task] = ended
    for task in ["find", "issues", "tickets"]:
        print(f"{task}:", answer[task].split("): ", 1)[1])
    skipped = [task for task, ended in answer.items() if ended.startswith("skipped ")]
    print("skipped:", ", ".join(skipped))
    try:
        await client.read_resource("jira://issue/TIDE-1")
    except Exception as error:
        print("not read:", error)
    alive = await client.call_tool("get_module_schema", {"modules": ["github"], "detail": "names", "format": "json"})
    assert not alive.is_error, alive
    print("alive:", json.loads(alive.content[0].text)[0]["module"])


async def bounded() -> None:
    tokens, mode, server = sys.argv[1:]
    with anyio.fail_after(PATIENCE):
        await main(tokens, mode, server)


anyio.run(bounded)
