"""The least server that one would write with the SDK for Python."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("hello")


@server.tool()
def hello(name: str) -> str:
    """Greet somebody by name."""
    return f"hello {name}"


server.run()
