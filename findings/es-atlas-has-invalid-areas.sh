#!/usr/bin/env bash
# Expected: areas of a published atlas of municipalities are valid polygons (OGC simple features) once they are read as GeoJSON.
# So it is: of es-atlas 0.6.0 (made from IGN's boundaries) dozens of areas are not. Quantisation left rings of two or three points,
# rings that cross themselves, and municipalities without any extent (Llocnou de la Corona): unions and tests of "contains" fail
# or differ from library to library. Needs Python 3.10 or newer with venv.
set -eu
VERSION=0.6.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent "es-atlas@$VERSION" topojson-client@3.1.0
python3 -m venv python && python/bin/pip install --quiet --disable-pip-version-check shapely==2.1.2
cat > read.mjs <<'JS'
import { readFileSync, writeFileSync } from 'node:fs'
import { feature } from 'topojson-client'
const atlas = JSON.parse(readFileSync('node_modules/es-atlas/es/municipalities.json', 'utf8'))
writeFileSync('areas.json', JSON.stringify(feature(atlas, atlas.objects.municipalities)))
JS
node read.mjs
cat > look.py <<'PY'
import collections
import json
import sys

import shapely
from shapely.geometry import shape
from shapely.validation import explain_validity

areas = [(one["id"], one["properties"]["name"], shape(one["geometry"])) for one in json.load(open("areas.json"))["features"] if one["geometry"]]
invalid = [(code, name, explain_validity(area).split("[")[0]) for code, name, area in areas if not area.is_valid]
flat = [(code, name) for code, name, area in areas if not area.is_empty and area.area == 0]
print(f"shapely {shapely.__version__}, GEOS {shapely.geos_version_string}: {len(invalid)} of {len(areas)} areas are invalid")
print(dict(collections.Counter(why for _, _, why in invalid)), "such as", *invalid[:3])
print(f"{len(flat)} areas have no extent, such as", *flat[-3:])
sys.exit(0 if invalid else 1)
PY
python/bin/python look.py && echo "as described" || { echo "this has changed"; exit 1; }
