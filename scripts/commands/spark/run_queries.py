"""Runs queries in Spark: one JSON object a line with `query` and `folder`, the Parquet files of whose rows go into that folder."""

import json
import sys

from pyspark.sql import SparkSession

order = json.loads(sys.argv[1])
builder = SparkSession.builder.appName("roll-ups").master(order["master"])
for name, value in order["settings"].items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
print(json.dumps({"ready": spark.version}), flush=True)
for line in sys.stdin:
    task = json.loads(line)
    try:
        spark.sql(task["query"]).write.parquet(task["folder"])
        print(json.dumps({"done": task["folder"]}), flush=True)
    except Exception as error:  # Reported to the process that ordered the query.
        print(json.dumps({"failed": str(error)}), flush=True)
spark.stop()
