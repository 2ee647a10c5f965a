"""Parses one reply of each operation by a client of openapi-python-client: parse_replies.py REQUESTS.json FOLDER."""

import datetime
import importlib
import json
import pkgutil
import sys

import attrs
import httpx

requests_file, folder = sys.argv[1:]
sys.path.insert(0, folder)
asked = json.load(open(requests_file))
import generated  # noqa: E402
import generated.api  # noqa: E402
import generated.models  # noqa: E402

for module in pkgutil.iter_modules(generated.models.__path__):
    importlib.import_module(f"generated.models.{module.name}")


def differs(place, sent, parsed):
    """The first place where the parsed reply lacks or changes what was sent; instants may be written otherwise."""
    if isinstance(sent, dict):
        lost = [name for name in sent if name not in (parsed or {})]
        if lost:
            return f"{place}: lost {', '.join(lost)}"
        return next((why for name in sent if (why := differs(f"{place}.{name}", sent[name], parsed[name]))), None)
    if isinstance(sent, list):
        if not isinstance(parsed, list) or len(parsed) != len(sent):
            return f"{place} has another length"
        return next((why for one, other in zip(sent, parsed) if (why := differs(place, one, other))), None)
    if sent == parsed or isinstance(sent, str) and isinstance(parsed, str) and instant(sent) is not None and instant(sent) == instant(parsed):
        return None
    return f"{place}: {sent} became {parsed}"


def instant(text):
    """The instant that a text states, if it does."""
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None


def undescribed(place, parsed):
    """The first member that a parsed object has and its type lacks."""
    if isinstance(parsed, list):
        return next((why for one in parsed if (why := undescribed(place, one))), None)
    if not type(parsed).__module__.startswith("generated.models"):
        return None
    members = {name: value for name, value in vars(parsed).items() if name != "additional_properties"} if hasattr(parsed, "__dict__") else {
        field.name: getattr(parsed, field.name) for field in attrs.fields(type(parsed)) if field.name != "additional_properties"
    }
    extra = getattr(parsed, "additional_properties", {})
    if members and extra:
        return f"{place} has members that its type lacks: {', '.join(extra)}"
    return next((why for name, value in members.items() if (why := undescribed(f"{place}.{name}", value))), None)


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
        if why := differs("reply", response.json(), again) or undescribed("reply", parsed):
            raise ValueError(why)
    except Exception as error:
        failed += 1
        print(f"FAILED python {request['id']} {request['path']}: {type(error).__name__}: {str(error)[:300]}")
print(f"python: {len(asked['requests']) - failed} of {len(asked['requests'])} replies parsed")
sys.exit(1 if failed else 0)
