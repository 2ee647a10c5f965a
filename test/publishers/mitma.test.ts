import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Feed } from '../../jobs/feeds/define.ts'
import { mitmaOvernightStays } from '../../jobs/feeds/mobility/mitma-overnight-stays.ts'
import { mitmaDistrictTrips, mitmaGauTrips, mitmaTrips, mitmaV1Trips } from '../../jobs/feeds/mobility/mitma-trips.ts'
import { mitmaZoneAreas } from '../../jobs/feeds/mobility/mitma-zone-areas.ts'
import { mitmaZoneNames } from '../../jobs/feeds/mobility/mitma-zone-names.ts'
import { mitmaZonePoints } from '../../jobs/feeds/mobility/mitma-zone-points.ts'
import { mitmaV1Zones, mitmaZones } from '../../jobs/feeds/mobility/mitma-zones.ts'
import { listingOf } from '../../jobs/feeds/periods.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import { isInRing, ringArea } from '../../lake/places/rings.ts'
import { isValidArea } from '../../lake/places/valid-area.ts'
import type { MultiPolygon, Point } from '../../lake/schema/columns.ts'
import { originOf } from '../../scripts/commands/parts.ts'
import type { Publishers } from '../../scripts/stand-in/server.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { bytesOf, standIn } from './helpers.ts'

const shared = sharedFolder()
const ALL = { from: '0001-01-01', to: '9999-12-31' }
const INDEX = originOf('')(mitmaOvernightStays.archive?.index[0]?.url as string)

async function listed(publishers: Publishers) {
  const index = [{ name: 'rss', bytes: await bytesOf(publishers, INDEX) }]
  return listingOf('day', mitmaOvernightStays.archive?.files(index, ALL) ?? [], ALL)
}

/** A publisher's answers to the requests of a feed. */
function bodiesOf(publishers: Publishers, feed: Feed): Promise<{ readonly name: string; readonly bytes: Buffer }[]> {
  const requests = feed.plans[0]?.requests ?? []
  return Promise.all(requests.map(async ({ name, url }) => ({ name, bytes: await bytesOf(publishers, originOf('')(url)) })))
}

/** Levels and ids of the zones in a feed, each once, in order. */
async function zonesOf(publishers: Publishers, feed: Feed, dataset: string): Promise<string[]> {
  const { rows } = await parsePublication(feed, await bodiesOf(publishers, feed), publishers.now())
  return [...new Set((rows.get(dataset) ?? []).map(({ zone_level, zone_id }) => `${zone_level} ${zone_id}`))].sort()
}

test('the list has two months of days, published two months later, with some missing days', async () => {
  const gaps = new Set<string>()
  for (const [at, last] of [
    ['2025-03-31T12:00:00Z', '2025-01'],
    ['2025-07-01T12:00:00Z', '2025-05'],
    ['2025-11-30T12:00:00Z', '2025-09'],
  ] as const) {
    await using publishers = await standIn({ at: Date.parse(at), scale: 'small' })
    const found = await listed(publishers)
    for (const gap of found.gaps) gaps.add(gap)
    expect(found.files.at(-1)?.period.slice(0, 7)).toBe(last)
    expect(found.files.length + found.gaps.length).toSatisfy((days: number) => days >= 57 && days <= 62)
  }
  expect(gaps.size).toBeGreaterThan(0)
})

test('a day of overnight stays is packed, and has the columns and zones of the capture', async () => {
  await using publishers = await standIn({ scale: 'small' })
  const { files } = await listed(publishers)
  const text = gunzipSync(await bytesOf(publishers, originOf('')(files[0]?.url as string))).toString()
  const [header, ...lines] = text.split('\n').slice(0, -1)
  expect([text.endsWith('\n'), text.includes('\r'), text.includes('"')]).toEqual([true, false, false])
  expect(lines.filter((line) => !/^\d{8}\|(\d{5}(\d\d)?|\d{5}_AM)\|\d{5}(_AM)?\|\d+\.\d{1,3}$/.test(line))).toEqual([])
  expect(lines.length).toBeGreaterThan(500)
  expect(new Set(lines.map((line) => line.split('|').slice(1, 3).join())).size).toBe(lines.length)
  if (!shared) return
  const capture = gunzipSync(readFileSync(join(shared, 'feeds/mitma-movilidad/v2/20220101_Pernoctaciones_municipios.csv.gz'))).toString()
  expect(header).toBe(capture.slice(0, capture.indexOf('\n')))
})

test("names and populations are of the relation's zones, in the format of the captures", async () => {
  await using publishers = await standIn({ scale: 'small' })
  const named = await zonesOf(publishers, mitmaZoneNames, 'mobility_zones')
  expect(named.length).toBeGreaterThan(300)
  expect(named).toEqual(await zonesOf(publishers, mitmaZones, 'mobility_zone_members'))
  for (const { name, bytes } of await bodiesOf(publishers, mitmaZoneNames)) {
    const shapeOf = (text: string): string[] => {
      const [first = '', second = ''] = text.split('\n')
      return [name.startsWith('nombres') ? first : '', ...[first, second].map((line) => line.replaceAll(/[^|\r]+/g, 'x'))]
    }
    if (shared)
      expect(shapeOf(bytes.toString())).toEqual(
        shapeOf(readFileSync(join(shared, `feeds/mitma-movilidad/v2/zonificacion/${name}.csv`)).toString()),
      )
  }
})

test('centroids are of the named zones and of some foreign ones, in the format of the captures', async () => {
  await using publishers = await standIn({ scale: 'small' })
  const named = (await zonesOf(publishers, mitmaZoneNames, 'mobility_zones')).filter((zone) => !zone.endsWith('34011153001'))
  const placed = await zonesOf(publishers, mitmaZonePoints, 'mobility_zone_points')
  expect(placed.filter((zone) => !/ (FR|PT)/.test(zone))).toEqual(named)
  expect(placed.length - named.length).toBe(3 * 2)
  if (!shared) return
  // Headers of both files, without their counts and bounds.
  const heads = {
    dbf: [
      [0, 1],
      [8, 32],
      [32, 65],
    ],
    shp: [
      [0, 24],
      [28, 36],
    ],
  } as const
  for (const { name, bytes } of (await bodiesOf(publishers, mitmaZonePoints)).filter(({ name }) => !name.startsWith('gaus'))) {
    const [level, kind] = name.split('.') as [string, keyof typeof heads]
    const capture = readFileSync(join(shared, `feeds/mitma-movilidad/v2/zonificacion/zonificacion_${level}_centroides.${kind}`))
    for (const [from, to] of heads[kind]) expect([name, bytes.subarray(from, to)]).toEqual([name, capture.subarray(from, to)])
    expect(bytes.at(-1)).toBe(kind === 'dbf' ? capture.at(-1) : bytes.at(-1))
  }
})

test('polygons are of the zones with centroids, contain most of them, and cover the same area as outlines', async () => {
  await using publishers = await standIn({ scale: 'small' })
  const parsed = async (feed: Feed, dataset: string) =>
    (await parsePublication(feed, await bodiesOf(publishers, feed), publishers.now(), { keeps: () => true })).rows.get(dataset) ?? []
  const points = await parsed(mitmaZonePoints, 'mobility_zone_points')
  const areas = await parsed(mitmaZoneAreas, 'mobility_zone_areas')
  const keyOf = ({ zone_level, zone_id }: Readonly<Record<string, unknown>>): string => `${zone_level} ${zone_id}`
  expect(areas.map(keyOf).sort()).toEqual(points.map(keyOf).sort())
  const shapes = areas.map((row) => ({
    ...row,
    zone_level: row['zone_level'],
    area: row['area'] as MultiPolygon,
    outline: row['outline'] as MultiPolygon,
  }))
  const contains = (area: MultiPolygon, { lon, lat }: Point): boolean =>
    area.flat().filter((ring) => isInRing(ring, [lon, lat])).length % 2 === 1
  const byKey = new Map(shapes.map((shape) => [keyOf(shape), shape]))
  const municipal = points.filter(({ zone_level, zone_id }) => zone_level === 'MUNICIPALITY' && /^\d{5}$/.test(zone_id as string))
  const held = municipal.filter((row) => contains(byKey.get(keyOf(row))?.outline ?? [], row['position'] as Point))
  expect(held.length / municipal.length).toBeGreaterThan(0.95)
  expect(shapes.some(({ area }) => area.length > 1)).toBe(true)
  // On a level with its own outlines, one zone's gain is another's loss.
  const total = (level: string, of: 'area' | 'outline'): number =>
    shapes
      .filter((shape) => shape.zone_level === level)
      .reduce((sum, shape) => sum + shape[of].flat().reduce((all, ring) => all + ringArea(ring), 0), 0)
  for (const level of ['DISTRICT', 'MUNICIPALITY', 'GAU']) expect(total(level, 'outline') / total(level, 'area')).toBeCloseTo(1, 3)
  expect(shapes.filter(({ area, outline }) => isValidArea(area) && !isValidArea(outline))).toEqual([])
})

test("trips of each level are listed, and are between zones in the level's list", async () => {
  await using publishers = await standIn({ scale: 'small' })
  const lists = await bodiesOf(publishers, mitmaZoneNames)
  const named = (await parsePublication(mitmaZoneNames, lists, publishers.now())).rows.get('mobility_zones') ?? []
  const index = [{ name: 'rss', bytes: await bytesOf(publishers, INDEX) }]
  for (const [feed, level] of [
    [mitmaTrips, 'MUNICIPALITY'],
    [mitmaDistrictTrips, 'DISTRICT'],
    [mitmaGauTrips, 'GAU'],
  ] as const) {
    const { files } = listingOf('day', feed.archive?.files(index, ALL) ?? [], ALL)
    const { period, url } = files[0] as (typeof files)[number]
    const body = { name: period, bytes: await bytesOf(publishers, originOf('')(url)) }
    const [dataset] = feed.into
    const rows = (await parsePublication(feed, [body], publishers.now(), { keeps: () => true })).rows.get(dataset?.id ?? '') ?? []
    const zones = new Set(named.filter(({ zone_level }) => zone_level === level).map(({ zone_id }) => zone_id))
    const listed = new Set(rows.flatMap(({ origin_zone, destination_zone }) => [origin_zone, destination_zone]))
    expect([level, [...listed].filter((zone) => !zones.has(zone as string)), listed.size]).toEqual([level, [], zones.size - 1])
  }
})

test('the study of 2020 and 2021 has its own list, and trips between the zones of its own relation', async () => {
  await using publishers = await standIn({ scale: 'small' })
  const [index, relation] = await Promise.all(
    [mitmaV1Trips.archive?.index[0]?.url, mitmaV1Zones.plans[0]?.requests[0]?.url].map((url) =>
      bytesOf(publishers, originOf('')(url as string)),
    ),
  )
  const listed = mitmaV1Trips.archive?.files([{ name: 'rss', bytes: index as Buffer }], ALL) ?? []
  const { files, gaps } = listingOf('day', listed, ALL)
  expect([files.length, files.at(-1)?.period, gaps]).toEqual([9, '2021-05-09', ['2021-05-01']])
  const body = { name: files[0]?.period as string, bytes: await bytesOf(publishers, originOf('')(files[0]?.url as string)) }
  const trips = (await parsePublication(mitmaV1Trips, [body], publishers.now(), { keeps: () => true })).rows.get('mobility_v1_trips') ?? []
  expect([...new Set(trips.map(({ distance_band }) => distance_band))].sort()).toEqual(['0.5-2', '10-50', '2-5', '>100'])
  const { rows } = await parsePublication(mitmaV1Zones, [{ name: 'relation', bytes: relation as Buffer }], publishers.now())
  const provinces = new Set((rows.get('mobility_zone_members') ?? []).map(({ province_code }) => province_code))
  expect([...new Set(trips.map(({ origin_zone }) => (origin_zone as string).slice(0, 2)))].filter((one) => !provinces.has(one))).toEqual([])
})
