# The smallest server there is, in a language that finds its packages by how it was called.
import json
import sys

import only_here

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answers = {
        "initialize": {
            "protocolVersion": message.get("params", {}).get("protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "venv", "version": only_here.VERSION},
        },
        "tools/list": {
            "tools": [{"name": "get_prefix", "description": "Where it lives", "inputSchema": {"type": "object"}}]
        },
        "tools/call": {"content": [{"type": "text", "text": f"{sys.prefix} {only_here.VERSION}"}]},
    }
    known = answers.get(message["method"])
    end = {"result": known} if known else {"error": {"code": -32601, "message": "Method not found"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **end}), flush=True)
