#!/usr/bin/env bash
# Expected: ClickHouse's database engine DataLakeCatalog, as chDB has it, asks for the metadata file that a REST catalogue names. With
# chDB 4.4.0 (ClickHouse 26.9) it does not if the catalogue's settings name an endpoint of S3 (`s3.endpoint`, as every catalogue on
# another server than AWS gives): for s3://bucket/roads/posts/metadata/v1.metadata.json it asks the endpoint for
# /bucket/roads/posts/bucket/roads/posts/metadata/v1.metadata.json. Needs Python 3.10 to 3.13 with venv.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python && python/bin/pip install --quiet --disable-pip-version-check chdb==4.4.0
cat > look.py <<'PY'
import http.server
import json
import os
import threading

import chdb

asked = []
TABLE = "s3://bucket/roads/posts"
SCHEMA = {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "km", "type": "long", "required": False}]}
METADATA = {
    **{"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": TABLE, "last-sequence-number": 0},
    **{"last-updated-ms": 1, "last-column-id": 1, "current-schema-id": 0, "schemas": [SCHEMA], "default-spec-id": 0},
    **{"partition-specs": [{"spec-id": 0, "fields": []}], "last-partition-id": 999, "default-sort-order-id": 0},
    **{"sort-orders": [{"order-id": 0, "fields": []}], "properties": {}, "snapshots": []},
}


class Server(http.server.BaseHTTPRequestHandler):
    """Just enough of a REST catalogue to load one table, and an S3 server that notes what it is asked for."""

    def answer(self):
        path = self.path.split("?")[0]
        replies = {
            "/v1/config": {"defaults": {}, "overrides": {}},
            "/v1/namespaces": {"namespaces": [["roads"]]},
            "/v1/namespaces/roads/tables": {"identifiers": [{"namespace": ["roads"], "name": "posts"}]},
            "/v1/namespaces/roads/tables/posts": {
                **{"metadata-location": f"{TABLE}/metadata/v1.metadata.json", "metadata": METADATA},
                "config": {"s3.endpoint": ENDPOINT, "s3.access-key-id": "any", "s3.secret-access-key": "any", "s3.region": "us-east-1"},
            },
        }
        if path.startswith("/bucket"):
            asked.append(path)
        found = path in replies
        body = json.dumps(replies.get(path, {})).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = answer

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
ENDPOINT = f"http://127.0.0.1:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
session = chdb.connect(":memory:")
print("ClickHouse", str(session.query("SELECT version()", "TSV")).strip())
session.query("SET allow_database_iceberg = 1")
session.query(f"CREATE DATABASE lake ENGINE = DataLakeCatalog('{ENDPOINT}/v1') SETTINGS catalog_type = 'rest', warehouse = 'any'")
try:
    print(session.query("SELECT count() FROM lake.`roads.posts`", "TSV"))
except Exception as error:
    print(str(error)[:150])
print("asked the S3 server for", sorted(set(asked)), flush=True)
# The end of the session can hang, and that of Python crash.
os._exit(0 if asked and set(asked) == {"/bucket/roads/posts/bucket/roads/posts/metadata/v1.metadata.json"} else 1)
PY
python/bin/python look.py && echo "as described" || { echo "this has changed"; exit 1; }
