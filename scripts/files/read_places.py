"""Reads GeoJSON with GDAL and GeoParquet with geopandas, and compares both with the rows: read_places.py FOLDER."""

import json
import pathlib
import sys

import geopandas
import pyogrio

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
            geometry = frame.geometry.dropna()
            if not geometry.is_empty.any() and len(geometry) > 0 and not geometry.total_bounds[1] < geometry.total_bounds[3] + 1e-9:
                raise ValueError(f"{reader} read bounds {geometry.total_bounds}")
            outside = [value for value in geometry.total_bounds if not -180 <= value <= 180] if len(geometry) > 0 else []
            if outside:
                raise ValueError(f"{reader} read coordinates outside the world: {outside}")
        if (drawn := int(read["GDAL"].geometry.notna().sum())) != shapes:
            raise ValueError(f"GDAL read {drawn} of {shapes} geometries")
        placed += shapes
    except Exception as error:
        failed += 1
        print(f"FAILED places {file.stem}: {type(error).__name__}: {str(error)[:300]}")
print(f"places: {len(files) - failed} of {len(files)} lists are read by GDAL and geopandas, with {placed} geometries")
sys.exit(1 if failed or placed == 0 else 0)
