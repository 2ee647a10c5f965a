"""Reads GeoJSON with GDAL and GeoParquet with geopandas, and compares both with the rows: read_places.py FOLDER."""

import json
import pathlib
import sys

import geopandas
import pyogrio

# Spain with the Canaries, the seas around it, and the ports and airports that its ferries and flights reach.
WEST, SOUTH, EAST, NORTH = -180, -60, 180, 75
SPAIN = (-19, 27, 5, 45)


def misplaced(row, shape):
    """What is wrong with the place of a row; None if nothing is."""
    west, south, east, north = shape.bounds
    if not (WEST <= west <= east <= EAST and SOUTH <= south <= north <= NORTH):
        return f"read coordinates outside the world: {shape.bounds}"
    if row.get("province") and not (SPAIN[0] <= west and SPAIN[1] <= south and east <= SPAIN[2] and north <= SPAIN[3]):
        return f"read a place in {row['province']} outside Spain: {shape.bounds}"
    lat, lon = row.get("lat"), row.get("lon")
    if lat is not None and shape.geom_type == "Point" and (abs(shape.x - lon) > 1e-6 or abs(shape.y - lat) > 1e-6):
        return f"read {shape} for lat {lat}, lon {lon}"
    return None


folder = pathlib.Path(sys.argv[1])
files = sorted(folder.glob("*.geojson"))
failed = placed = 0
for file in files:
    try:
        with open(file.with_suffix(".ndjson"), encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        features = json.loads(file.read_text(encoding="utf-8"))["features"]
        shapes = sum(feature["geometry"] is not None for feature in features)
        read = {"GDAL": pyogrio.read_dataframe(file), "geopandas": geopandas.read_parquet(file.with_suffix(".parquet"))}
        for reader, frame in read.items():
            if len(frame) != len(rows):
                raise ValueError(f"{reader} read {len(frame)} of {len(rows)} rows")
            if not hasattr(frame, "crs") or frame.crs is None or not frame.crs.equals("OGC:CRS84") and frame.crs.to_epsg() != 4326:
                raise ValueError(f"{reader} read the reference system {getattr(frame, 'crs', None)}")
            if (drawn := int(frame.geometry.notna().sum())) != shapes:
                raise ValueError(f"{reader} read {drawn} of {shapes} geometries")
            for row, shape in zip(rows, frame.geometry):
                if shape is not None and (why := misplaced(row, shape)):
                    raise ValueError(f"{reader} {why}: {str(row)[:200]}")
        placed += shapes
    except Exception as error:
        failed += 1
        print(f"FAILED places {file.stem}: {type(error).__name__}: {str(error)[:300]}")
print(f"places: {len(files) - failed} of {len(files)} lists are read by GDAL and geopandas, with {placed} geometries")
sys.exit(1 if failed or placed == 0 else 0)
