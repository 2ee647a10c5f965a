"""Parses one reply of each operation by a client of openapi-python-client: parse_replies.py REQUESTS.json FOLDER."""

import importlib
import json
import pkgutil
import sys

import httpx

requests_file, folder = sys.argv[1:]
sys.path.insert(0, folder)
asked = json.load(open(requests_file))
import generated  # noqa: E402
import generated.api  # noqa: E402
import generated.models  # noqa: E402

for module in pkgutil.iter_modules(generated.models.__path__):
    importlib.import_module(f"generated.models.{module.name}")
client = generated.Client(base_url=asked["url"])
failed = 0
for request in asked["requests"]:
    name = f"generated.api.{request['tag']}.{request['id']}"
    try:
        module = importlib.import_module(name)
        response = httpx.get(asked["url"] + request["path"], headers={"X-API-Key": asked["key"]}, timeout=60)
        parsed = module._parse_response(client=client, response=response)
        if response.status_code != 200 or parsed is None:
            raise ValueError(f"status {response.status_code}, parsed as {type(parsed).__name__}")
        again = parsed.to_dict()
        missing = set(response.json()) - set(again)
        if missing:
            raise ValueError(f"members lost: {', '.join(sorted(missing))}")
    except Exception as error:
        failed += 1
        print(f"FAILED python {request['id']} {request['path']}: {type(error).__name__}: {str(error)[:300]}")
print(f"python: {len(asked['requests']) - failed} of {len(asked['requests'])} replies parsed")
sys.exit(1 if failed else 0)
