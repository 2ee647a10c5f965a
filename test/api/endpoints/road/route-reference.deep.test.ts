import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { thingsAlong } from '../../../../api/endpoints/road/along/match.ts'
import { PathLine } from '../../../../api/endpoints/road/along/path-line.ts'
import { ROAD_ITEMS } from '../../../../api/endpoints/road/along/route-item.ts'
import { routeWorld } from '../../../../scripts/checks/benches/route-world.ts'

const BUFFER_M = 300
/** A sphere for the ellipsoid: distances differ by up to half a percent. */
const RATIO = 0.006

/** Distances on the ellipsoid: along a path by pyproj, from it by shapely in metres by the radii of curvature at each point. */
const REFERENCE = `
import json, math, sys
from pyproj import Geod
from shapely.geometry import LineString, Point
from shapely.strtree import STRtree
geod = Geod(ellps="GRS80")
asked = json.load(sys.stdin)
out = []
for line in asked["lines"]:
    starts = [0.0]
    for (a, b), (c, d) in zip(line, line[1:]):
        starts.append(starts[-1] + geod.inv(a, b, c, d)[2])
    tree = STRtree([LineString(pair) for pair in zip(line, line[1:])])
    found = []
    for nth, (lon, lat) in enumerate(asked["points"]):
        near = sorted(int(one) for one in tree.query(Point(lon, lat).buffer(0.006)))
        best = None
        # Radii of curvature of the ellipsoid at the point.
        w = math.sqrt(1 - geod.es * math.sin(math.radians(lat)) ** 2)
        east = math.radians(geod.a / w * math.cos(math.radians(lat)))
        north = math.radians(geod.a * (1 - geod.es) / w ** 3)
        for at in near:
            piece = LineString([((x - lon) * east, (y - lat) * north) for x, y in line[at:at + 2]])
            away = piece.distance(Point(0, 0))
            if best is None or away < best[0] - 1e-9:
                share = piece.project(Point(0, 0)) / piece.length if piece.length else 0
                best = (away, starts[at] + share * (starts[at + 1] - starts[at]))
        if best:
            found.append([nth, best[1], best[0]])
    out.append({"length": starts[-1], "found": found})
json.dump(out, sys.stdout)
`

const hasReference = spawnSync('python3', ['-c', 'import shapely, pyproj']).status === 0
if (!hasReference) process.stderr.write('skipped: python3 has no shapely and pyproj: pip install shapely pyproj\n')

describe.skipIf(!hasReference)('ten trips, against shapely and pyproj', () => {
  test('the things along each are the same, in the same order, at the same distances', () => {
    const { trips, things, posts } = routeWorld(7)
    const points = things.flat().filter(({ line, area, kind }, nth) => nth % 4 === 0 && !line && !area && kind !== 'WEATHER_STATION')
    // Half of them the way back.
    const lines = trips.map((line, nth) => (nth % 2 === 0 ? line : line.toReversed()))
    const asked = points.map(({ position }) => [position?.lon, position?.lat])
    const made = spawnSync('python3', ['-c', REFERENCE], {
      input: JSON.stringify({ lines, points: asked }),
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    })
    expect(made.stderr).toBe('')
    const reference = JSON.parse(made.stdout) as { length: number; found: [number, number, number][] }[]
    const wanted = { kinds: new Set(Object.keys(ROAD_ITEMS.codes)), buffer_m: BUFFER_M, onlyOwnDirection: false }
    let [compared, others] = [0, 0]
    for (const [nth, line] of lines.entries()) {
      const { length, found } = reference[nth] as (typeof reference)[number]
      const path = new PathLine(line)
      expect(Math.abs(path.length_m / length - 1)).toBeLessThan(RATIO)
      const ours = thingsAlong(path, [points], posts, wanted)
      const by = new Map(found.map(([at, along_m, offset_m]) => [points[at]?.id, { along_m, offset_m }]))
      // At the edge of the buffer either may be right.
      const isNear = (id: string | undefined): boolean => (by.get(id)?.offset_m ?? Number.POSITIVE_INFINITY) < BUFFER_M
      const isEdge = (id: string | undefined): boolean => Math.abs((by.get(id)?.offset_m ?? 0) - BUFFER_M) < RATIO * BUFFER_M + 1
      const met = new Set<string | undefined>(ours.map(({ thing }) => thing.id))
      expect(points.map(({ id }) => id).filter((id) => met.has(id) !== isNear(id) && !isEdge(id))).toEqual([])
      let before = 0
      for (const { thing, along_m, offset_m } of ours) {
        const right = by.get(thing.id)
        if (!right) continue
        // Another pass than the nearest: the first one, or that of its direction.
        if (offset_m - right.offset_m > RATIO * right.offset_m + 1) {
          others++
          continue
        }
        compared++
        expect(Math.abs(offset_m - right.offset_m), thing.id).toBeLessThan(RATIO * right.offset_m + 1)
        // Of two equally near places on the path either may be taken.
        expect(Math.abs(along_m - right.along_m), thing.id).toBeLessThan(RATIO * right.along_m + 600)
        expect(right.along_m).toBeGreaterThan(before - 2 * RATIO * right.along_m - 1200)
        before = Math.max(before, right.along_m)
      }
    }
    expect(others).toBeLessThan(compared / 100)
    expect(compared).toBeGreaterThan(2000)
  }, 300_000)
})
