#!/usr/bin/env bash
# Expected: PyIceberg opens a file of a table at http:// or https://, as fsspec, pyarrow's reader of datasets and other engines do with
# their own readers of http. So it is: PyIceberg 0.12.0 has no FileIO for these schemes, neither with pyarrow nor with fsspec, even with
# aiohttp installed. A catalogue whose tables are at http(s) cannot be read, while one at s3:// with any endpoint can. Needs Python
# 3.10 to 3.13 with venv.
set -eu
VERSION=0.12.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python && python/bin/pip install --quiet --disable-pip-version-check "pyiceberg[pyarrow]==$VERSION" fsspec==2026.9.0 aiohttp
cat > look.py <<'PY'
import http.server
import importlib.metadata
import pathlib
import sys
import threading
import warnings

import fsspec
from pyiceberg.io import load_file_io

pathlib.Path("served").mkdir()
pathlib.Path("served/file").write_bytes(b"PAR1")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args):
        super().__init__(*args, directory="served")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/file"
print("pyiceberg", importlib.metadata.version("pyiceberg"))
with fsspec.open(url) as file:
    print("fsspec alone reads", file.read())
warnings.simplefilter("ignore")
failed = 0
for name in ("PyArrowFileIO", "FsspecFileIO"):
    module = "pyarrow" if name == "PyArrowFileIO" else "fsspec"
    try:
        with load_file_io({"py-io-impl": f"pyiceberg.io.{module}.{name}"}, url).new_input(url).open() as file:
            print(name, "reads", file.read())
    except Exception as error:
        failed += 1
        print(name, "fails:", type(error).__name__, str(error)[:120])
sys.exit(0 if failed == 2 else 1)
PY
python/bin/python look.py && echo "as described" || { echo "this has changed"; exit 1; }
