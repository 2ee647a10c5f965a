#!/usr/bin/env bash
# Expected: a PyIceberg table can be registered in DataFusion, as its documentation shows, whatever catalogue it comes from, and the
# extras of one release fit together. So it is: with PyIceberg 0.12.0 and the versions that its own extras choose (pyiceberg-core,
# datafusion 53) that works for a table of an SQL catalogue, and fails for the same table from a REST catalogue: the properties of its
# FileIO then hold an object of authentication, and pyiceberg-core takes texts only. DataFusion reports "Incompatible libraries", and
# asks to downgrade it, which does not help. Without the object in `table.io.properties` the same query works. Needs Python 3.10 to
# 3.13 with venv.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python && python/bin/pip install --quiet --disable-pip-version-check \
  "pyiceberg[pyarrow,sql-sqlite,pyiceberg-core,datafusion]==0.12.0" pyiceberg-core==0.10.1 datafusion==53.0.0
cat > look.py <<'PY'
import http.server
import importlib.metadata
import json
import pathlib
import sys
import threading
import warnings

import pyarrow
from datafusion import SessionContext
from pyiceberg.catalog import load_catalog

warnings.simplefilter("ignore")
for name in ("pyiceberg", "pyiceberg-core", "datafusion"):
    print(name, importlib.metadata.version(name))

here = pathlib.Path.cwd()
sql = load_catalog("made", type="sql", uri=f"sqlite:///{here}/catalogue.db", warehouse=f"file://{here}/warehouse")
sql.create_namespace("roads")
sql.create_table("roads.posts", pyarrow.schema([("km", pyarrow.int64())])).append(pyarrow.table({"km": [1, 2, 3]}))
made = sql.load_table("roads.posts")
LOADED = {"metadata-location": made.metadata_location, "metadata": json.loads(made.metadata.model_dump_json()), "config": {}}


class Rest(http.server.BaseHTTPRequestHandler):
    """Just enough of a REST catalogue to load one table."""

    def do_GET(self):
        path = self.path.split("?")[0]
        body = json.dumps({"defaults": {}, "overrides": {}} if path.endswith("/v1/config") else LOADED).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Rest)
threading.Thread(target=server.serve_forever, daemon=True).start()


def counted(table):
    context = SessionContext()
    try:
        context.register_table("posts", table)
        return context.sql("SELECT count(*) AS n FROM posts").collect()[0].column(0)[0].as_py()
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]}"


rest = load_catalog("served", type="rest", uri=f"http://127.0.0.1:{server.server_port}", token="any")
served = rest.load_table("roads.posts")
print("PyIceberg itself counts", served.scan().count(), "rows of the served table")
from_sql, from_rest = counted(made), counted(served)
print("DataFusion, table of the SQL catalogue:", from_sql)
print("DataFusion, the same of the REST catalogue:", from_rest)
print("not a text:", {name: type(value).__name__ for name, value in served.io.properties.items() if not isinstance(value, str)})
served.io.properties = {name: value for name, value in served.io.properties.items() if isinstance(value, str)}
without = counted(served)
print("DataFusion, without it:", without)
sys.exit(0 if (from_sql, without) == (3, 3) and "Incompatible libraries" in str(from_rest) else 1)
PY
python/bin/python look.py && echo "as described" || { echo "this has changed"; exit 1; }
