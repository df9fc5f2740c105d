"""Calls every tool of the examples with Python's MCP client, and prints what it saw.

Usage: examples.py MODE SERVER MODULES
"""

import sys

import anyio
from mcp import Client, StdioServerParameters

PATIENCE = 30

CALLS = [
    ("hello", {"name": "Ada"}),
    ("crypto-tools_digest", {"text": "abc"}),
    ("crypto-tools_hmac", {"key": "Jefe", "text": "what do ya want for nothing?"}),
    ("auth_whoami", {}),
    ("api-client_list_orders", {}),
    ("api-client_get_order", {"id": 2}),
    ("dashboard_overview", {}),
]


async def main(mode: str, server: str, modules: str) -> None:
    started = StdioServerParameters(
        command=server,
        args=["serve", "--modules", modules],
        env={"HELLO__GREETING": "Hi"},
    )
    async with Client(started, mode=mode) as client:
        tools = (await client.list_tools()).tools
        print("tools:", ", ".join(tool.name for tool in tools))
        for name, arguments in CALLS:
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result
            print(f"{name}:", shown(result.content[0].text))


def shown(text: str) -> str:
    """A table by its header, anything else as it is."""
    return text.splitlines()[0] if text.startswith("[") else text


async def bounded() -> None:
    mode, server, modules = sys.argv[1:]
    with anyio.fail_after(PATIENCE):
        await main(mode, server, modules)


anyio.run(bounded)
