#!/usr/bin/env bash
# Expected: `count_rows()` of a filtered Daft frame is the number of rows that `collect()` returns. So it is for a filter on other
# columns: with Daft 0.7.26 over an Iceberg table (PyIceberg 0.12.0), a filter on a column by which the table is partitioned
# (identity) is lost when rows are counted, and all rows of the table count, without an error. Needs Python 3.10 to 3.13 with venv.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python && python/bin/pip install --quiet --disable-pip-version-check "pyiceberg[pyarrow,sql-sqlite]==0.12.0" daft==0.7.26
cat > look.py <<'PY'
import importlib.metadata
import pathlib
import sys

import daft
import pyarrow
from pyiceberg.catalog import load_catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

print("daft", importlib.metadata.version("daft"), "pyiceberg", importlib.metadata.version("pyiceberg"))
here = pathlib.Path.cwd()
catalogue = load_catalog("made", type="sql", uri=f"sqlite:///{here}/catalogue.db", warehouse=f"file://{here}/warehouse")
catalogue.create_namespace("roads")
schema = Schema(NestedField(1, "year", StringType()), NestedField(2, "km", LongType()))
by_year = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "year"))
table = catalogue.create_table("roads.counts", schema, partition_spec=by_year)
table.append(pyarrow.table({"year": ["2015", "2015", "2016"], "km": [1, 2, 3]}))
rows = daft.read_iceberg(table)
seen = {}
for name, condition in (("year = 2015", daft.col("year") == "2015"), ("year > 2015", daft.col("year") > "2015"), ("km <= 2", daft.col("km") <= 2)):
    kept = rows.where(condition)
    seen[name] = (kept.count_rows(), len(kept.collect()))
    print(f"{name}: count_rows {seen[name][0]}, rows {seen[name][1]}")
sys.exit(0 if seen == {"year = 2015": (3, 2), "year > 2015": (3, 1), "km <= 2": (2, 2)} else 1)
PY
python/bin/python look.py 2>/dev/null && echo "as described" || { echo "this has changed"; exit 1; }
