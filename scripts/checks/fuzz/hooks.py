"""Schemathesis' input besides the description of the API: keys, addresses, existing ids, and expected refusals.

It reads the file that FUZZ_PLAN names, see plan.ts.
"""

import atexit
import collections
import itertools
import json
import os
import random
import threading

import schemathesis
from schemathesis.openapi.checks import JsonSchemaError, RejectedPositiveData

with open(os.environ["FUZZ_PLAN"], encoding="utf-8") as file:
    PLAN = json.load(file)
KEYS = {one["id"]: one["key"] for one in PLAN["spare"]}
WORKING = dict.fromkeys(KEYS)
LOCK = threading.Lock()
CALLS = itertools.count(1)
STATUSES: collections.Counter = collections.Counter()
ANSWERED: set = set()
ACCEPTED: collections.Counter = collections.Counter()


@schemathesis.auth(refresh_interval=None)
class Key:
    """Requests use the key of the highest plan. Those that may end a key are an exception: each uses its own."""

    def get(self, case, _context):
        if not case.operation.path.startswith("/api/keys"):
            return PLAN["key"]
        wanted = (case.path_parameters or {}).get("id")
        with LOCK:
            return KEYS.get(wanted) or KEYS[next(iter(WORKING))]

    def set(self, case, key, _context):
        case.headers["X-API-Key"] = key


@schemathesis.hook
def before_load_schema(_context, raw_schema):
    """Gives path parameters existing ids, so that not every reply is a 404."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            ids = PLAN["ids"].get(operation["operationId"], {})
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path" and parameter["name"] in ids:
                    parameter["example"] = ids[parameter["name"]]


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """Sends each request from a different address, because limits by address are tested elsewhere. Most requests are simplified, see `ease`."""
    number = next(CALLS)
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    if number % 8 > 0:
        ease(case)


def ease(case):
    """Removes parameters that would cause the same few refusals, which no schema can express: otherwise hardly any request succeeds.

    The subject of the case stays: in a case of invalid data the invalid parameters.
    """
    if case.operation.method.upper() != "GET" or not isinstance(case.query, dict) or not case.query:
        return
    kept = touched(case)
    if kept is None:
        return
    raw = {one["name"]: one for one in case.operation.definition.raw.get("parameters", [])}
    joint = PLAN["joint"].get(case.operation.definition.raw["operationId"], [])
    # The same case is always simplified in the same way.
    chance = random.Random(repr(sorted(case.query.items(), key=lambda item: item[0])))
    query = dict(case.query)
    for name in list(query):
        one = raw.get(name)
        if one is None or name in kept:
            continue
        text = is_text(one["schema"])
        if one.get("required"):
            query[name] = one["example"] if text and "example" in one else query[name]
        elif (text or name in joint) and chance.random() < 0.8:
            del query[name]
        elif text and "example" in one:
            query[name] = one["example"]
    case.query = query


def touched(case):
    """Names of the query's parameters that a case makes invalid; None if unknown."""
    if case.meta is None:
        return None
    if case.meta.generation.mode.is_positive:
        return set()
    data = case.meta.phase.data
    names = {one.parameter for one in data.mutations} or {data.parameter}
    return None if None in names else names


@schemathesis.hook
def after_call(_context, case, response):
    with LOCK:
        STATUSES[str(response.status_code)] += 1
        # A reply to a different method is not an answer of the operation.
        if response.status_code < 400 and case.method.upper() == case.operation.method.upper():
            ANSWERED.add(case.operation.definition.raw["operationId"])
        if case.operation.path.startswith("/api/keys/{id}") and response.status_code < 300:
            WORKING.pop(case.path_parameters["id"], None)


@schemathesis.deserializer("application/x-ndjson")
def first_line(_context, response):
    """The schema of NDJSON describes a line: only the first one is checked, and an empty reply counts as an empty object."""
    return json.loads(response.content.split(b"\n", 1)[0] or b"{}")


@schemathesis.hook
def filter_failure(_context, failure, case, response):
    """Drops refusals of data that JSON Schema regards as valid, see `is_beyond_schema`, and members that `fields` left out.

    Two media types have no schema for what Schemathesis checks: NDJSON without a line, and single events of a stream.
    """
    kind = response.headers.get("content-type", [""])[0]
    if isinstance(failure, JsonSchemaError) and kind.startswith("application/x-ndjson") and not response.content:
        return False
    if "SSE event" in failure.title:
        return False
    if isinstance(failure, JsonSchemaError) and "fields" in (case.query or {}):
        return "required" not in failure.schema_path
    if not isinstance(failure, RejectedPositiveData) or not is_beyond_schema(case, response):
        return True
    with LOCK:
        ACCEPTED[case.operation.label] += 1
    return False


def is_beyond_schema(case, response):
    """True for a documented refusal for a reason that a schema cannot express.

    A 400 must name the refused parameters or body members. Each is either a text, which a schema hardly restricts (names of
    places, instants, cursors), or declared to depend on others. Numbers, codes and flags that are valid by
    themselves are never refused. The other refusals of the account paths are listed here in full.
    """
    operation = case.operation
    route = (operation.method.upper(), operation.path)
    # What the protocol requires of a message is not in the schema of /mcp.
    if route == ("POST", "/mcp"):
        return response.status_code in (400, 406)
    problem = json.loads(response.content)
    # The same key with another body; a signature or a snapshot of no use any more.
    if problem.get("code") in ("idempotency-key-reused", "signature-expired", "snapshot-expired", "unsafe-webhook-url"):
        return True
    # An address may have three keys: that is a state, which no schema can express.
    if route == ("POST", "/api/keys") and problem.get("code") == "key-limit-reached":
        return True
    errors = problem.get("errors") or []
    if response.status_code != 400 or not errors:
        return False
    if operation.path in ("/api/webhooks", "/api/webhooks/{id}", "/api/webhooks/{id}/replay", "/api/export-jobs"):
        return all(error.get("parameter") == "Idempotency-Key" or error.get("pointer", "").startswith(TEXTS_OF_WRITES) for error in errors)
    if route == ("POST", "/api/keys"):
        return all(error.get("pointer") in TEXTS_OF_BODIES for error in errors)
    operation_id = operation.definition.raw["operationId"]
    texts = {one["name"] for one in operation.definition.raw.get("parameters", []) if is_text(one["schema"])}
    allowed = texts | set(PLAN["joint"].get(operation_id, []))
    return all(error.get("parameter") in allowed for error in errors)


# An e-mail address has more rules than its format.
TEXTS_OF_BODIES = {"/email", "/label", "/token"}


# Names of places, roads and columns, boxes, addresses, instants of the last days.
TEXTS_OF_WRITES = tuple(f"/{name}" for name in ("url", "from", "to", "filter/from", "filter/to", "filter/province", "filter/road", "filter/bbox", "filter/airport", "filter/station", "filter/columns", "filter/municipality", "dataset"))


def is_text(schema):
    one = schema["items"] if schema.get("type") == "array" else schema
    return one.get("type") == "string" and "enum" not in one


@atexit.register
def write_figures():
    figures = {
        "statuses": dict(sorted(STATUSES.items())),
        "refusals_beyond_schema": sum(ACCEPTED.values()),
        "answered": sorted(ANSWERED),
    }
    with open(PLAN["figures"], "w", encoding="utf-8") as file:
        json.dump(figures, file)
