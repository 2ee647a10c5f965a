"""Answers calls by the MCP client for Python: a call as JSON in each line of the input, an answer as JSON in each line of the output.

ask_mcp.py URL, with the key in TRAFFIC_API_KEY; or ask_mcp.py COMMAND of a server over standard input and output.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


def transport(server: str):
    if server.startswith("http"):
        headers = {"X-API-Key": os.environ["TRAFFIC_API_KEY"]}
        return streamable_http_client(server, http_client=create_mcp_http_client(headers=headers))
    return stdio_client(StdioServerParameters(command=server, env=dict(os.environ)))


async def main() -> None:
    async with Client(transport(sys.argv[1])) as client:
        tools = (await client.list_tools()).tools
        print(json.dumps([tool.name for tool in tools]), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            call = json.loads(line)
            result = await client.call_tool(call["tool"], call["args"])
            text = "\n".join(part.text for part in result.content)
            print(json.dumps({"is_error": bool(result.is_error), "text": text}), flush=True)


asyncio.run(main())
