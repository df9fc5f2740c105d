"""Drives a larkspur server with Python's MCP client, and prints what it saw, one line a fact.

Usage: clients.py MODE SERVER MODULES, with the server's program or its URL
"""

import json
import os
import sys
from pathlib import Path

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ToolsListChanged
from mcp.types import PromptReference, ResourceTemplateReference

PATIENCE = 30


async def main(mode: str, server: str, modules: Path) -> None:
    changed = anyio.Event()

    async def heard(message) -> None:
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            changed.set()

    if server.startswith("http"):
        where = server
    else:
        env = {"XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"]}
        args = ["serve", "--modules", str(modules)]
        where = StdioServerParameters(command=server, args=args, env=env)
    async with Client(where, mode=mode, message_handler=heard) as client:
        print("revision:", client.protocol_version)
        print("tools:", await listed(client))
        print(shown(await client.call_tool("hello", {"name": "ada"})))
        print(shown(await client.call_tool("broken")))
        print(shown(await client.call_tool("hello", {"nam": "ada"})))
        await read(client)
        await begin(client)
        await wait(client)
        await edit(client, modules / "greet.star", changed)
        print("tools:", await listed(client))
        print(shown(await client.call_tool("howdy", {"name": "ada"})))


async def listed(client: Client) -> str:
    return ", ".join(tool.name for tool in (await client.list_tools()).tools)


async def read(client: Client) -> None:
    resources = (await client.list_resources()).resources
    print("resources:", ", ".join(str(resource.uri) for resource in resources))
    templates = (await client.list_resource_templates()).resource_templates
    print("templates:", ", ".join(template.uri_template for template in templates))
    for uri in ["weather://today", "weather://oslo/3"]:
        contents = (await client.read_resource(uri)).contents[0]
        print("read:", contents.mime_type, contents.text)
    try:
        await client.read_resource("weather://tody")
    except MCPError as error:
        print("not read:", error.error.message)


async def begin(client: Client) -> None:
    for prompt in (await client.list_prompts()).prompts:
        arguments = ", ".join(argument.name for argument in prompt.arguments)
        print(f"prompts: {prompt.name}({arguments})")
    got = await client.get_prompt("letter", {"to": "ada", "tone": "keen"})
    for message in got.messages:
        print(f"prompt: {message.role}: {message.content.text}")
    letter = PromptReference(type="ref/prompt", name="letter")
    await complete(client, letter, {"name": "tone", "value": "ke"})
    weather = ResourceTemplateReference(type="ref/resource", uri="weather://{city}/{day}")
    await complete(client, weather, {"name": "city", "value": "os"})


async def complete(client: Client, reference, argument: dict) -> None:
    found = (await client.complete(reference, argument)).completion
    print("complete:", ", ".join(found.values))


async def wait(client: Client) -> None:
    """Hears how far a call has come; takes another one back, and waits until the server is free."""

    heard = anyio.Event()

    async def tell(done: float, total: float | None, message: str | None) -> None:
        print(f"progress: {done:g}/{total:g} {message}")
        if done == total:
            heard.set()

    async def confirm() -> None:
        await heard.wait()
        await client.call_tool("heard")

    async with anyio.create_task_group() as group:
        group.start_soon(confirm)
        result = await client.call_tool("steps", progress_callback=tell)
    print(shown(result))
    with anyio.CancelScope() as scope:

        async def enough(*_) -> None:
            scope.cancel()

        result = await client.call_tool("spin", progress_callback=enough)
        print("not cancelled:", shown(result))
    if scope.cancelled_caught:
        print("cancelled")
    while (await status())["in_flight"] > 0:
        pass
    print("free")


async def status() -> dict:
    folder = Path(os.environ["XDG_RUNTIME_DIR"]) / "larkspur"
    (socket,) = folder.glob("*.sock")
    async with await anyio.connect_unix(str(socket)) as stream:
        await stream.send(b'"status"\n')
        text = b""
        while not text.endswith(b"\n"):
            text += await stream.receive()
    return json.loads(text)["status"]


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
