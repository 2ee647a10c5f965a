"""Asks one engine the questions of questions.json and compares its answers: read_tables.py <engine> <file>, or
runs an example: read_tables.py sql <file>.

With "catalogue" in the file, tables are read from that REST catalogue, otherwise in place. Prints a line for each table, and each different answer; exits with 1 if there is one.
"""

import glob
import json
import os
import re
import subprocess
import sys
import sysconfig
from datetime import date, datetime
from decimal import Decimal


def load_duckdb():
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for name in ("avro", "httpfs", "iceberg"):
        found = glob.glob(f"{sysconfig.get_path('purelib')}/duckdb_extension_{name}/extensions/*/{name}.duckdb_extension")
        connection.execute(f"LOAD '{found[0]}'")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


class DuckDB:
    """DuckDB with its own iceberg extension: attached, or from the table's folder and its version hint."""

    def __init__(self, asked):
        self.connection = load_duckdb()
        self.attached = asked.get("catalogue")
        self.attach()

    def attach(self):
        if self.attached:
            self.connection.execute(f"CREATE SECRET lake_key (TYPE iceberg, TOKEN '{self.attached['token']}')")
            self.connection.execute(f"ATTACH 'lake' AS lake (TYPE iceberg, SECRET lake_key, ENDPOINT '{self.attached['uri']}')")

    def relation(self, table, snapshot=None):
        if self.attached:
            return f"lake.{table['name']}" + ("" if snapshot is None else f" AT (VERSION => {snapshot})")
        return f"iceberg_scan('{table['folder']}'" + ("" if snapshot is None else f", snapshot_from_id => {snapshot}") + ")"

    def ask(self, table, question):
        return self.connection.execute(question["duckdb"].replace("%s", self.relation(table))).fetchone()

    def count_at(self, table, snapshot):
        return self.connection.execute(f"SELECT count(*) FROM {self.relation(table, snapshot)}").fetchone()[0]


class DuckDB2(DuckDB):
    """DuckDB 2, with its iceberg extension if that can be had; else it reads the files that our own list names."""

    def __init__(self, asked):
        import duckdb

        self.connection = duckdb.connect()
        self.connection.execute("SET TimeZone = 'UTC'")
        self.attached = asked.get("catalogue")
        self.by_files = False
        try:
            for name in ("avro", "httpfs", "iceberg"):
                self.connection.execute(f"INSTALL {name}; LOAD {name}")
            self.attach()
        except duckdb.IOException as error:
            self.by_files = True
            reason = f"no extension iceberg for DuckDB {duckdb.__version__}: {str(error)[:120]}"
            print(f"SKIPPED duckdb2 {'from the catalogue' if self.attached else 'by iceberg_scan, our own lists of files instead'}: {reason}", flush=True)
            if self.attached:
                sys.exit(0)

    def relation(self, table, snapshot=None):
        return f"({table['select']})" if self.by_files else super().relation(table, snapshot)

    def count_at(self, table, snapshot):
        return None if self.by_files else super().count_at(table, snapshot)


class Spark:
    """Spark with Iceberg's runtime: the REST catalogue, or the lake as the warehouse of a HadoopCatalog."""

    jars = "ENGINES_SPARK_JARS"

    def __init__(self, asked):
        from pyspark.sql import SparkSession

        settings = {
            "spark.jars": os.environ[self.jars],
            "spark.ui.enabled": "false",
            "spark.log.level": "ERROR",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        }
        catalogue = asked.get("catalogue")
        own = {"type": "rest", **catalogue} if catalogue else {"type": "hadoop", "warehouse": asked["warehouse"]}
        settings.update({f"spark.sql.catalog.lake.{name}": value for name, value in own.items()})
        builder = SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.session = builder.getOrCreate()

    def ask(self, table, question):
        return tuple(self.session.sql(question["spark"].replace("%s", f"lake.{table['name']}")).collect()[0])

    def count_at(self, table, snapshot):
        return self.session.sql(f"SELECT count(*) FROM lake.{table['name']} VERSION AS OF {snapshot}").collect()[0][0]


class Spark41(Spark):
    jars = "ENGINES_SPARK41_JARS"


class PyIceberg:
    """PyIceberg, from the REST catalogue or the newest metadata file; sums are taken of its Arrow tables."""

    def __init__(self, asked):
        from pyiceberg.catalog import load_catalog

        self.connection = load_duckdb()
        self.tables = {}
        catalogue = asked.get("catalogue")
        self.catalogue = load_catalog("lake", type="rest", **catalogue) if catalogue else None

    def table(self, table):
        from pyiceberg.table import StaticTable

        name = table["name"]
        if name not in self.tables:
            self.tables[name] = self.catalogue.load_table(name) if self.catalogue else StaticTable.from_metadata(f"file://{table['metadata']}")
        return self.tables[name]

    def ask(self, table, question):
        scan = self.table(table).scan()
        if "condition" in question:
            rows = self.table(table).scan(row_filter=self.filter(question["condition"])).to_arrow()
            return (str(rows.num_rows),)
        self.connection.register("arrow_rows", scan.to_arrow())
        return self.connection.execute(question["duckdb"].replace("%s", "arrow_rows")).fetchone()

    def limit(self, table):
        """What the engine cannot do by itself with a table; None for nothing known."""
        return None

    def filter(self, condition):
        from pyiceberg.expressions import And, GreaterThan, LessThanOrEqual, NotNaN

        compare = GreaterThan if condition["operator"] == ">" else LessThanOrEqual
        name, kind = condition["column"], condition["type"]
        if kind == "double":
            return And(compare(name, float(condition["value"])), NotNaN(name))
        return compare(name, self.literal(kind, condition["value"]))

    def literal(self, kind, text):
        if kind in ("int", "long"):
            return int(text)
        if kind.startswith("decimal"):
            return Decimal(text)
        if kind == "timestamptz":
            # ISO 8601 from DuckDB's format, which has a space and an offset of hours only.
            return text.replace(" ", "T", 1).replace("+00", "+00:00")
        return text

    def count_at(self, table, snapshot):
        return self.table(table).scan(snapshot_id=int(snapshot)).to_arrow().num_rows


class DataFusion(PyIceberg):
    """DataFusion with iceberg-rust, for tables that PyIceberg finds; sums are taken of its Arrow tables."""

    def limit(self, table):
        found = self.table(table)
        lists = [field for field in found.schema().fields if not field.field_type.is_primitive]
        later = [one.name for one in lists if any(one.field_id not in schema.field_ids for schema in found.schemas().values())]
        return f"lists that older files lack: {', '.join(later)}" if later else None

    def context(self, table):
        from datafusion import SessionContext

        found = self.table(table)
        # PyIceberg 0.12 hands over an object of the REST catalogue, which pyiceberg-core refuses.
        found.io.properties = {name: value for name, value in found.io.properties.items() if isinstance(value, str)}
        context = SessionContext()
        context.register_table("t", found)
        return context

    def ask(self, table, question):
        context = self.context(table)
        if "condition" in question:
            answer = context.sql(question["duckdb"].replace("%s", "t")).to_arrow_table()
            return tuple(column[0].as_py() for column in answer.columns)
        self.connection.register("arrow_rows", context.table("t").to_arrow_table())
        return self.connection.execute(question["duckdb"].replace("%s", "arrow_rows")).fetchone()

    def count_at(self, table, snapshot):
        """None: its tables from PyIceberg are those of now."""
        return None


class Daft(PyIceberg):
    """Daft, for tables that PyIceberg finds; sums are taken of its Arrow tables."""

    def limit(self, table):
        lists = [field.name for field in self.table(table).schema().fields if not field.field_type.is_primitive]
        return f"lists of DuckDB: {', '.join(lists)}" if lists else None

    def ask(self, table, question):
        import daft

        rows = daft.read_iceberg(self.table(table))
        if "condition" not in question:
            self.connection.register("arrow_rows", rows.to_arrow())
            return self.connection.execute(question["duckdb"].replace("%s", "arrow_rows")).fetchone()
        name, kind, operator, value = (question["condition"][part] for part in ("column", "type", "operator", "value"))
        column, wanted = daft.col(name), self.constant(kind, value)
        kept = rows.where(column > wanted if operator == ">" else column <= wanted)
        # Daft 0.7 counts without conditions on partition columns, but collects with them.
        return (str(len((kept.where(~column.is_nan()) if kind == "double" else kept).collect())),)

    def constant(self, kind, value):
        if kind == "date":
            return date.fromisoformat(value)
        if kind == "double":
            return float(value)
        made = self.literal(kind, value)
        return datetime.fromisoformat(made) if kind == "timestamptz" else made

    def count_at(self, table, snapshot):
        import daft

        return daft.read_iceberg(self.table(table), snapshot_id=int(snapshot)).count_rows()


class ChDB(PyIceberg):
    """chDB, from a table's folder; sums are taken of its Arrow tables."""

    def __init__(self, asked):
        import chdb

        # It reads local files below its working folder only.
        os.chdir("/")
        self.connection = load_duckdb()
        self.session = chdb.connect(":memory:")
        self.attached = asked.get("catalogue")

    def limit(self, table):
        """From a catalogue with an endpoint of S3 a catalogue it asks for <table>/<bucket>/<path of the table>/metadata/…"""
        return "files of a catalogue with an endpoint of S3" if self.attached else None

    def select(self, what, table, condition="true", settings=""):
        return self.session.query(f"SELECT {what} FROM icebergLocal('{table['folder']}') WHERE {condition} {settings}", "ArrowTable")

    def ask(self, table, question):
        if "condition" not in question:
            rows = self.select("*", table)
            # Its texts are bytes, and it has no other type for binaries.
            for name in re.findall(r'octet_length\("(\w+)"\)', question["duckdb"]):
                at = rows.schema.get_field_index(name)
                rows = rows.set_column(at, name, rows.column(at).cast("binary"))
            self.connection.register("arrow_rows", rows)
            answer = self.connection.execute(question["duckdb"].replace("%s", "arrow_rows")).fetchone()
            # Its lists are never missing, but empty.
            lists = [f'"{name}"' for name in re.findall(r'len\("(\w+)"\)', question["duckdb"])]
            measures = question["duckdb"].split(", CAST(")
            return tuple(UNCOMPARED if any(one in measures[at] for one in lists) else value for at, value in enumerate(answer))
        name, kind, operator, value = (question["condition"][part] for part in ("column", "type", "operator", "value"))
        types = {"string": "String", "int": "Int32", "long": "Int64", "date": "Date32", "double": "Float64"}
        wanted = types.get(kind) or ("DateTime64(6, 'UTC')" if kind == "timestamptz" else kind.capitalize())
        text = value.replace("+00", "") if kind == "timestamptz" else value.replace("\\", "\\\\").replace("'", "\\'")
        condition = f'"{name}" {operator} CAST(\'{text}\', \'{wanted}\')'.replace("'UTC'", "\\'UTC\\'")
        return (str(self.select("count() AS n", table, condition + (f' AND NOT isNaN("{name}")' if kind == "double" else ""))["n"][0]),)

    def count_at(self, table, snapshot):
        return self.select("count() AS n", table, settings=f"SETTINGS iceberg_snapshot_id = {snapshot}")["n"][0].as_py()


class IcebergGo(PyIceberg):
    """iceberg-go, by a program that writes Arrow; sums are taken of its rows."""

    def __init__(self, asked):
        self.connection = load_duckdb()
        self.attached = asked.get("catalogue")

    def rows(self, table, **more):
        import pyarrow.ipc

        request = {"name": table["name"], "metadata": f"file://{table['metadata']}", "catalogue": self.attached, **more}
        done = subprocess.run([os.environ["ENGINES_ICEBERG_GO"], json.dumps(request)], capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode(errors="replace").strip()[-300:])
        return pyarrow.ipc.open_stream(done.stdout).read_all()

    def limit(self, table):
        """With a filter it fails on the bounds of a column that was an int, and loses rows of other columns."""
        with open(table["metadata"], encoding="utf-8") as source:
            types = {(field["id"], json.dumps(field["type"])) for one in json.load(source)["schemas"] for field in one["fields"]}
        return "filters of a table with columns of changed types" if len({field for field, _ in types}) < len(types) else None

    def ask(self, table, question):
        if "condition" in question:
            condition = {**question["condition"]}
            condition["value"] = str(self.literal(condition["type"], condition["value"]))
            return (str(self.rows(table, condition=condition).num_rows),)
        self.connection.register("arrow_rows", self.rows(table))
        return self.connection.execute(question["duckdb"].replace("%s", "arrow_rows")).fetchone()

    def count_at(self, table, snapshot):
        return self.rows(table, snapshot=snapshot).num_rows


ENGINES = {
    **{"pyiceberg": PyIceberg, "duckdb": DuckDB, "spark": Spark, "datafusion": DataFusion, "daft": Daft},
    **{"iceberg-go": IcebergGo, "chdb": ChDB, "duckdb2": DuckDB2, "spark41": Spark41},
}


def run_sql(file):
    """Runs an example in DuckDB; its extensions come from packages, not from DuckDB's own server."""
    connection = load_duckdb()
    with open(file, encoding="utf-8") as source:
        statements = [one.strip() for one in source.read().split(";")]
    for statement in statements:
        if statement and not statement.startswith(("INSTALL", "LOAD")):
            print(connection.execute(statement).fetchall(), flush=True)


# An answer that an engine cannot give.
UNCOMPARED = object()


def same(ours, theirs):
    if theirs is UNCOMPARED:
        return True
    theirs = None if theirs is None else str(theirs)
    if ours == theirs or not ours or not theirs or not ours.startswith("~"):
        return ours == theirs
    try:
        one, other = float(ours[1:]), float(theirs[1:])
    except ValueError:  # a text of the data that begins like a sum
        return False
    return abs(one - other) <= 1e-9 * max(1.0, abs(one))


def main():
    engine_name, file = sys.argv[1:]
    if engine_name == "sql":
        run_sql(file)
        return
    with open(file, encoding="utf-8") as source:
        asked = json.load(source)
    engine = ENGINES[engine_name](asked)
    failures = 0
    for table in asked["tables"]:
        limit = engine.limit(table) if isinstance(engine, PyIceberg) else None
        if limit:
            print(f"limit {engine_name} {table['name']}: {limit}", flush=True)
            continue
        differences = []
        for question in table["questions"]:
            try:
                answer = engine.ask(table, question)
            except Exception as error:  # an engine's own error is an answer that differs
                differences.append(f"{question['what']}: {type(error).__name__}: {str(error)[:300]}")
                continue
            ours = question["answer"]
            wrong = [f"[{at}] ours {one}, theirs {other}" for at, (one, other) in enumerate(zip(ours, answer)) if not same(one, other)]
            if len(ours) != len(answer):
                wrong.append(f"{len(ours)} values, theirs {len(answer)}")
            if wrong:
                differences.append(f"{question['what']}: {'; '.join(wrong[:5])}")
        oldest = table["oldest"]
        if oldest:
            try:
                rows = engine.count_at(table, oldest["snapshot"])
                if rows not in (oldest["rows"], None):
                    differences.append(f"snapshot {oldest['snapshot']}: ours {oldest['rows']} rows, theirs {rows}")
            except Exception as error:
                differences.append(f"snapshot {oldest['snapshot']}: {type(error).__name__}: {str(error)[:300]}")
        rows = table["questions"][0]["answer"][0]
        how = "from the catalogue" if asked.get("catalogue") else "in place"
        print(
            f"{'FAILED' if differences else 'ok'} {engine_name} {how} {table['name']}: {rows} rows, {len(table['questions'])} questions",
            flush=True,
        )
        for difference in differences:
            print(f"    {difference}", flush=True)
        failures += bool(differences)
    sys.exit(1 if failures else 0)


main()
