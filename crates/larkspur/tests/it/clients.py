"""Drives a larkspur server with Python's MCP client, and prints what it saw, one line a fact.

Usage: clients.py MODE SERVER MODULES
"""

import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.subscriptions import ToolsListChanged

PATIENCE = 30


async def main(mode: str, server: str, modules: Path) -> None:
    changed = anyio.Event()

    async def heard(message) -> None:
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            changed.set()

    started = StdioServerParameters(command=server, args=["serve", "--modules", str(modules)])
    async with Client(started, mode=mode, message_handler=heard) as client:
        print("revision:", client.protocol_version)
        print("tools:", await listed(client))
        print(shown(await client.call_tool("hello", {"name": "ada"})))
        print(shown(await client.call_tool("broken")))
        print(shown(await client.call_tool("hello", {"nam": "ada"})))
        await edit(client, modules / "greet.star", changed)
        print("tools:", await listed(client))
        print(shown(await client.call_tool("howdy", {"name": "ada"})))


async def listed(client: Client) -> str:
    return ", ".join(tool.name for tool in (await client.list_tools()).tools)


def shown(result) -> str:
    return f"{'error' if result.is_error else 'answer'}: {result.content[0].text}"


async def edit(client: Client, module: Path, changed: anyio.Event) -> None:
    """Saves a change, and waits until the server says that the list is another one."""
    text = module.read_text().replace("hello", "howdy")
    if client.protocol_version < "2026-07-28":
        module.write_text(text)
        await changed.wait()
        return
    async with client.listen(tools_list_changed=True) as events:
        module.write_text(text)
        async for event in events:
            if isinstance(event, ToolsListChanged):
                return


async def bounded() -> None:
    mode, server, modules = sys.argv[1:]
    with anyio.fail_after(PATIENCE):
        await main(mode, server, Path(modules))


anyio.run(bounded)
