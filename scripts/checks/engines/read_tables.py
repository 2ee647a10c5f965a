"""Asks one engine the questions of questions.json and compares its answers: read_tables.py pyiceberg|duckdb|spark <file>.

Prints a line for each table, and each different answer; exits with 1 if there is one.
"""

import glob
import json
import sys
import sysconfig
from decimal import Decimal


def load_duckdb():
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for name in ("avro", "iceberg"):
        found = glob.glob(f"{sysconfig.get_path('purelib')}/duckdb_extension_{name}/extensions/*/{name}.duckdb_extension")
        connection.execute(f"LOAD '{found[0]}'")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


class DuckDB:
    """DuckDB with its own iceberg extension, from the table's folder and its version hint."""

    def __init__(self, _asked):
        self.connection = load_duckdb()

    def ask(self, table, question):
        relation = f"iceberg_scan('{table['folder']}')"
        return self.connection.execute(question["duckdb"].replace("%s", relation)).fetchone()

    def count_at(self, table, snapshot):
        relation = f"iceberg_scan('{table['folder']}', snapshot_from_id => {snapshot})"
        return self.connection.execute(f"SELECT count(*) FROM {relation}").fetchone()[0]


class Spark:
    """Spark with Iceberg's runtime, the lake as the warehouse of a HadoopCatalog."""

    def __init__(self, asked):
        from pyspark.sql import SparkSession

        settings = {
            "spark.jars": asked["spark_jar"],
            "spark.ui.enabled": "false",
            "spark.log.level": "ERROR",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.lake.type": "hadoop",
            "spark.sql.catalog.lake.warehouse": asked["warehouse"],
        }
        builder = SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.session = builder.getOrCreate()

    def ask(self, table, question):
        return tuple(self.session.sql(question["spark"].replace("%s", f"lake.{table['name']}")).collect()[0])

    def count_at(self, table, snapshot):
        return self.session.sql(f"SELECT count(*) FROM lake.{table['name']} VERSION AS OF {snapshot}").collect()[0][0]


class PyIceberg:
    """PyIceberg, without a catalogue, from the newest metadata file; sums are taken of its Arrow tables."""

    def __init__(self, _asked):
        self.connection = load_duckdb()
        self.tables = {}

    def table(self, table):
        from pyiceberg.table import StaticTable

        return self.tables.setdefault(table["name"], StaticTable.from_metadata(table["metadata"]))

    def ask(self, table, question):
        scan = self.table(table).scan()
        if "condition" in question:
            rows = self.table(table).scan(row_filter=self.filter(question["condition"])).to_arrow()
            return (str(rows.num_rows),)
        self.connection.register("arrow_rows", scan.to_arrow())
        return self.connection.execute(question["duckdb"].replace("%s", "arrow_rows")).fetchone()

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


def same(ours, theirs):
    if ours is not None and theirs is not None and ours.startswith("~"):
        one, other = float(ours[1:]), float(str(theirs)[1:])
        return abs(one - other) <= 1e-9 * max(1.0, abs(one))
    return ours == (None if theirs is None else str(theirs))


def main():
    engine_name, file = sys.argv[1:]
    with open(file, encoding="utf-8") as source:
        asked = json.load(source)
    engine = {"pyiceberg": PyIceberg, "duckdb": DuckDB, "spark": Spark}[engine_name](asked)
    failures = 0
    for table in asked["tables"]:
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
                if rows != oldest["rows"]:
                    differences.append(f"snapshot {oldest['snapshot']}: ours {oldest['rows']} rows, theirs {rows}")
            except Exception as error:
                differences.append(f"snapshot {oldest['snapshot']}: {type(error).__name__}: {str(error)[:300]}")
        rows = table["questions"][0]["answer"][0]
        print(f"{'FAILED' if differences else 'ok'} {engine_name} {table['name']}: {rows} rows, {len(table['questions'])} questions", flush=True)
        for difference in differences:
            print(f"    {difference}", flush=True)
        failures += bool(differences)
    sys.exit(1 if failures else 0)


main()
