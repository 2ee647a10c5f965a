#!/usr/bin/env bash
# Expected: a list in a Parquet file is read from either of its annotations, as the format asks of readers: the older converted type
# LIST, or the logical type. So it is for PyArrow, and for Daft 0.7.26 where it opens a file by itself. As a file of an Iceberg table,
# found by its field ids, Daft fails ("list type must have a single child, found 0") if there is no logical type, and DuckDB 1.5.5
# writes none; the file's other columns cannot be read either. A file of PyIceberg, with both, is read. Needs Python 3.10 to 3.13 with
# venv.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python && python/bin/pip install --quiet --disable-pip-version-check \
  "pyiceberg[pyarrow,sql-sqlite]==0.12.0" daft==0.7.26 duckdb==1.5.5
cat > look.py <<'PY'
import importlib.metadata
import pathlib
import sys

import daft
import duckdb
import pyarrow
from pyiceberg.catalog import load_catalog
from pyiceberg.schema import Schema
from pyiceberg.types import ListType, LongType, NestedField

print(*(f"{name} {importlib.metadata.version(name)}" for name in ("daft", "duckdb", "pyiceberg")))
here = pathlib.Path.cwd()
catalogue = load_catalog("made", type="sql", uri=f"sqlite:///{here}/catalogue.db", warehouse=f"file://{here}/warehouse")
catalogue.create_namespace("roads")
SCHEMA = Schema(NestedField(1, "id", LongType()), NestedField(2, "lanes", ListType(3, LongType(), element_required=False)))


def read(table, columns):
    try:
        return daft.read_iceberg(table).select(*columns).to_pydict()
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[-80:]}"


own = catalogue.create_table("roads.own", SCHEMA)
own.append(pyarrow.table({"id": [1], "lanes": [[1, 2]]}))
file = f"{here}/duckdb.parquet"
duckdb.sql(f"""COPY (SELECT 1::BIGINT AS id, [1, 2]::BIGINT[] AS lanes) TO '{file}'
    (FIELD_IDS {{id: 1, lanes: {{__duckdb_field_id: 2, element: 3}}}})""")
placed = next(pathlib.Path(f"{here}/warehouse/roads/own/data").glob("*.parquet"))
for name, path in (("PyIceberg", str(placed)), ("DuckDB", file)):
    ((converted, logical),) = duckdb.sql(f"SELECT converted_type, logical_type FROM parquet_schema('{path}') WHERE name = 'lanes'").fetchall()
    print(f"{name}'s file: converted type {converted}, logical type {logical}")
print("Daft, DuckDB's file alone:", daft.read_parquet(file).to_pydict())
mapped = catalogue.create_table("roads.mapped", SCHEMA)
mapped.add_files([f"file://{file}"])
print("PyArrow, by PyIceberg:", mapped.scan().to_arrow().to_pydict())
of_own, of_duckdb, other_column = read(own, ["id", "lanes"]), read(mapped, ["id", "lanes"]), read(mapped, ["id"])
print("Daft, PyIceberg's file in a table:", of_own)
print("Daft, DuckDB's file in a table:", of_duckdb)
print("Daft, its other column:", other_column)
whole = {"id": [1], "lanes": [[1, 2]]}
fails = all("single child" in str(text) for text in (of_duckdb, other_column))
sys.exit(0 if of_own == whole and fails else 1)
PY
python/bin/python look.py 2>/dev/null && echo "as described" || { echo "this has changed"; exit 1; }
