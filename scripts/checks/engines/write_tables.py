"""Writes tables through the Iceberg catalogue beside the service: write_tables.py pyiceberg|spark <file>.

The file names the catalogue, the tables and how many commits to make, or that all such rows are to be removed. Appends rows of its own (a fetch_id that begins with the
engine's name), deletes some of them, tags snapshots and compacts; a commit that another one has overtaken is made again. Prints
the rows that must be there, by table and fetch_id, as the last line (JSON); exits with 1 if a commit could not be made.
"""

import json
import random
import sys
import time

TRIES = 30
# A compaction writes a whole table again, which takes longer than the time between two commits of others.
TRIES_OF_COMPACTION = 5


class PyIceberg:
    def __init__(self, asked):
        from pyiceberg.catalog import load_catalog
        from pyiceberg.exceptions import CommitFailedException

        self.overtaken = (CommitFailedException,)
        self.catalogue = load_catalog("lake", type="rest", **asked["catalogue"])
        self.samples = {}

    def table(self, name):
        return self.catalogue.load_table(name)

    def append(self, name, tag, count):
        import pyarrow

        table = self.table(name)
        if name not in self.samples:
            self.samples[name] = table.scan(limit=1).to_arrow()
        sample = self.samples[name]
        keys = {field.name for field in table.schema().fields if field.field_id in table.schema().identifier_field_ids}
        rows = pyarrow.concat_tables([sample] * count)
        for at, field in enumerate(rows.schema):
            if field.name == "fetch_id":
                rows = rows.set_column(at, field, pyarrow.array([tag] * count, field.type))
            elif field.name in keys and field.type in (pyarrow.string(), pyarrow.large_string()):
                rows = rows.set_column(at, field, pyarrow.array([f"{tag}-{one}" for one in range(count)], field.type))
        table.append(rows)

    def delete(self, name, tag):
        self.table(name).delete(f"fetch_id = '{tag}'")

    def remove(self, name):
        self.table(name).delete("fetch_id like 'pyiceberg-%' or fetch_id like 'spark-%'")

    def tag(self, name, tag):
        table = self.table(name)
        table.manage_snapshots().create_tag(table.current_snapshot().snapshot_id, tag).commit()

    def compact(self, name):
        table = self.table(name)
        table.overwrite(table.scan().to_arrow())

    def note(self, name, text):
        self.table(name).transaction().set_properties({"own.note": text}).commit_transaction()

    def own(self, name):
        import pyarrow

        self.catalogue.create_table(name, schema=pyarrow.schema([("a", pyarrow.int64())]))
        self.table(name).append(pyarrow.table({"a": [1, 2, 3]}))
        self.table(name).delete("a = 2")
        found = self.table(name).scan().to_arrow().num_rows
        self.catalogue.purge_table(name)
        return found

    def count(self, name, tag):
        return self.table(name).scan(row_filter=f"fetch_id = '{tag}'").to_arrow().num_rows


class Spark:
    def __init__(self, asked):
        from pyspark.sql import SparkSession

        self.overtaken = ()
        settings = {
            "spark.jars": asked["spark_jars"],
            "spark.ui.enabled": "false",
            "spark.log.level": "OFF",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
            "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.lake.type": "rest",
            "spark.sql.catalog.lake.cache-enabled": "false",
        }
        settings.update({f"spark.sql.catalog.lake.{key}": value for key, value in asked["catalogue"].items()})
        builder = SparkSession.builder.master("local[1]")
        for key, value in settings.items():
            builder = builder.config(key, value)
        self.session = builder.getOrCreate()
        self.samples = {}

    def append(self, name, tag, count):
        if name not in self.samples:
            table = self.session.table(f"lake.{name}")
            keys = self.session.sql(f"SHOW TBLPROPERTIES lake.{name} ('identifier-fields')").collect()[0][1]
            self.samples[name] = (table.limit(1).collect()[0].asDict(), table.schema, keys.strip("[]").split(","))
        sample, schema, keys = self.samples[name]
        texts = {field.name for field in schema.fields if field.dataType.simpleString() == "string"}
        rows = []
        for one in range(count):
            row = {**sample, "fetch_id": tag}
            row.update({key: f"{tag}-{one}" for key in keys if key in texts})
            rows.append(tuple(row[field.name] for field in schema.fields))
        self.session.createDataFrame(rows, schema).coalesce(1).writeTo(f"lake.{name}").append()

    def delete(self, name, tag):
        self.session.sql(f"DELETE FROM lake.{name} WHERE fetch_id = '{tag}'")

    def tag(self, name, tag):
        self.session.sql(f"ALTER TABLE lake.{name} CREATE TAG `{tag}`")

    def compact(self, name):
        self.session.sql(f"CALL lake.system.rewrite_data_files(table => '{name}', options => map('rewrite-all', 'true'))").collect()

    def note(self, name, text):
        self.session.sql(f"ALTER TABLE lake.{name} SET TBLPROPERTIES ('own.note' = '{text}')")

    def own(self, name):
        self.session.sql(f"CREATE TABLE lake.{name} USING iceberg AS SELECT id AS a FROM range(1, 4)")
        self.session.sql(f"DELETE FROM lake.{name} WHERE a = 2")
        found = self.session.sql(f"SELECT count(*) FROM lake.{name}").collect()[0][0]
        self.session.sql(f"DROP TABLE lake.{name}")
        return found

    def count(self, name, tag):
        return self.session.sql(f"SELECT count(*) FROM lake.{name} WHERE fetch_id = '{tag}'").collect()[0][0]


OVERTAKEN = ("CommitFailedException", "ValidationException", "Cannot commit", "concurrently modified")


def main():
    engine_name, file = sys.argv[1:]
    with open(file, encoding="utf-8") as source:
        asked = json.load(source)

    def sure(work):
        """What a reading gives, behind a faulty network after some."""
        for _ in range(TRIES if asked["is_faulty"] else 1):
            try:
                return work()
            except Exception as error:
                last = error
                time.sleep(0.5)
        raise last

    engine = sure(lambda: {"pyiceberg": PyIceberg, "spark": Spark}[engine_name](asked))
    chance = random.Random(asked["seed"])
    alive = {name: {} for name in asked["tables"]}
    counts = {"commits": 0, "again": 0, "given_up": 0, "unknown": 0}

    def made(work, is_made=None, gives_up=False):
        for tries in range(TRIES_OF_COMPACTION if gives_up else TRIES):
            try:
                work()
                counts["commits"] += 1
                return
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                is_unknown = "CommitStateUnknown" in text
                if not is_unknown and (isinstance(error, engine.overtaken) or any(one in text for one in OVERTAKEN)):
                    counts["again"] += 1
                elif not asked["is_faulty"]:
                    raise
                else:
                    counts["unknown"] += 1
                    if is_made and sure(is_made):
                        counts["commits"] += 1
                        return
                time.sleep(chance.random() * 0.2 * (1 + tries))
        if not gives_up:
            raise RuntimeError(f"{TRIES} times another commit came first")
        counts["given_up"] += 1

    if asked["removes"]:
        for name in asked["tables"]:
            made(lambda: engine.remove(name))
        return
    for commit in range(asked["commits"]):
        name = chance.choice(asked["tables"])
        what = chance.choices(["append", "delete", "tag", "compact", "note"], [10, 3, 2, 2, 1])[0]
        tag = f"{engine_name}-{commit}"
        if what == "delete" and alive[name]:
            gone = chance.choice(sorted(alive[name]))
            made(lambda: engine.delete(name, gone), lambda: engine.count(name, gone) == 0)
            del alive[name][gone]
        elif what == "tag":
            made(lambda: engine.tag(name, f"{tag}-{counts['unknown']}"))
        elif what == "compact":
            made(lambda: engine.compact(name), gives_up=True)
        elif what == "note":
            made(lambda: engine.note(name, tag))
        else:
            count = chance.randint(1, 3)
            made(lambda: engine.append(name, tag, count), lambda: engine.count(name, tag) == count)
            alive[name][tag] = count
        if commit % 20 == 0:
            print(f"{engine_name}: {commit} of {asked['commits']} commits", flush=True)
    found = sure(lambda: engine.own(f"own.{engine_name}_{random.randrange(10**9)}"))
    if found != 2:
        raise RuntimeError(f"own.{engine_name} has {found} rows, 2 expected")
    for name, tags in alive.items():
        for tag in list(tags)[:3]:
            left = sure(lambda: engine.count(name, tag))
            if left != tags[tag]:
                raise RuntimeError(f"{name}: {left} rows of {tag}, {tags[tag]} expected")
    print(json.dumps({**counts, "alive": alive}), flush=True)


main()
