import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { dgtZones, partsOf } from '../../../jobs/feeds/road/dgt-zones.ts'
import { xmlFiles } from '../../../jobs/formats/controlled-zones.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { lowEmissionZones } from '../../../lake/datasets/road/low-emission-zones.ts'
import { polygonsAreaM2, ringArea } from '../../../lake/places/rings.ts'
import { isValidArea } from '../../../lake/places/valid-area.ts'
import type { Line, Polygon } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { fixtureBytes } from '../../helpers/fixture.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()
const AT = Date.parse('2026-11-01T00:00:00Z')

/** Polygons of a ring, with the reports. */
function read(corners: readonly (Line[0] | null)[]): { parts: Polygon[]; notes: string[] } {
  const notes: string[] = []
  return { parts: partsOf(corners, (text) => notes.push(text)), notes }
}

/** A line from 'x y, x y', in hundredths of a degree from a place in Madrid. */
const lineOf = (text: string): Line =>
  text.split(', ').map((pair) => {
    const [x = 0, y = 0] = pair.split(' ').map(Number)
    return [(x - 370) / 100, (y + 4040) / 100]
  })

interface Outline {
  readonly properties: { readonly rings_closed_at_source: number }
  readonly geometry: { readonly coordinates: readonly Line[][] }
}

const SQUARE: Line = [
  [-3.72, 40.41],
  [-3.72, 40.42],
  [-3.71, 40.42],
  [-3.71, 40.41],
]

test('a ring is closed and made counter-clockwise', () => {
  const { parts, notes } = read(SQUARE)
  expect(parts).toEqual([[[SQUARE[0], SQUARE[3], SQUARE[2], SQUARE[1], SQUARE[0]]]])
  expect(notes).toEqual(['a ring that is not closed: closed'])
})

test('a ring of less than a square metre, or with a corner that is no place in Spain, is left out', () => {
  expect(read(lineOf('0 0, 10 0, 5 0, 0 0'))).toEqual({ parts: [], notes: ['a ring without an area: left out'] })
  expect(read([...SQUARE, null])).toEqual({ parts: [], notes: ['a ring with a corner that is no place in Spain: left out'] })
})

test.each([
  ['crosses itself', '0 0, 2 2, 2 0, 0 2, 0 0', [1, 1]],
  ['touches itself', '0 0, 2 0, 1 1, 2 2, 0 2, 1 1, 0 0', [1, 1]],
  ['has a hole by a cut', '0 0, 6 0, 6 6, 0 6, 0 0, 2 2, 2 4, 4 4, 4 2, 2 2, 0 0', [36, -4]],
  ['curls inside itself', '0 0, 6 0, 6 6, 0 6, 0 5, 1 2, 3 2, 3 4, 0 3, 0 0', [35]],
] as const)('a ring that %s gives the polygons and holes that it encloses', (_what, text, areas) => {
  const { parts } = read(lineOf(text))
  const found = parts.flat().map((ring) => Math.round(0.5e4 * ringArea(ring)))
  expect([...found].toSorted()).toEqual([...areas].toSorted())
  expect(isValidArea(parts)).toBe(true)
})

test('a directory lists its files once, none of another place', () => {
  const url = 'https://infocar.dgt.es/zbe/'
  const page =
    '<a href="?C=N;O=D">N</a><a href="/">up</a><a HREF="AC%C3%B1a.xml">A</a><a href="b/C.xml">C</a><a href="https://x.es/zbe/D.xml">D</a><a href="AC%C3%B1a.xml">A</a>'
  expect(xmlFiles({ bytes: Buffer.from(page) }, url)).toEqual([{ name: 'ACña.xml', url: `${url}AC%C3%B1a.xml` }])
  expect(() => xmlFiles({ bytes: Buffer.from('<html></html>') }, url)).toThrow('a directory without XML files')
})

test.skipIf(!shared)("Madrid's three zones: 52 rings, one not closed, four without an area", () => {
  const bytes = gunzipSync(readFileSync(`${shared}/feeds/dgt-zbe/madrid_zbe_3zones_20260121.derived.geojson.gz`))
  const { features } = JSON.parse(bytes.toString()) as { features: readonly Outline[] }
  const notes: Record<string, number> = {}
  const zones = features.map(({ geometry, properties }) =>
    // The file has each ring closed, and counts those that the publisher had closed.
    geometry.coordinates.map(([ring], nth) =>
      partsOf(nth < properties.rings_closed_at_source ? (ring as Line) : (ring as Line).slice(0, -1), (text) => {
        notes[text] = (notes[text] ?? 0) + 1
      }),
    ),
  )
  expect(zones.map(({ length }) => length)).toEqual([45, 1, 6])
  // A ring of 5,452 corners is cut around the two inner zones.
  expect(notes).toEqual({
    ...{ 'a ring that is not closed: closed': 1, 'a ring without an area: left out': 4 },
    'a ring that meets itself: split into polygons and holes': 1,
  })
  const areas = zones.map((rings) => polygonsAreaM2(rings.flat()) / 1e6)
  // The notes have two decimals, by another projection.
  for (const [at, wanted] of [561.06, 0.62, 4.41].entries())
    expect(Math.abs((areas[at] as number) - wanted)).toBeLessThan(0.006 + wanted / 250)
})

test.skipIf(!shared)('the hours and label sets of 45 files have known codes', async () => {
  const [, ...lines] = readFileSync(`${shared}/feeds/dgt-zbe/zbe_nap_45_files_20260923.derived.csv`, 'utf8').trim().split(/\r?\n/)
  // The first zone of the fixture, with the file, period and labels of each line and without its outline.
  const [, head = '', zone = '', tail = ''] =
    /^(.*?)(<cz:controlledZone .*?<\/cz:controlledZone>).*<\/cz:controlledZone>(.*)$/s.exec(
      fixtureBytes('test/fixtures/dgt_zones/zones.xml').toString(),
    ) ?? []
  const sticker = / *<tro:conditions xsi:type="tro:NonCodableCondition">.*<\/tro:value>\s*<\/tro:conditions>/s
  const labelled = (label: string): string =>
    `<tro:conditions xsi:type="tro:NonCodableCondition"><tro:type>stickerCondition</tro:type><tro:value><com:values><com:value lang="es">${label}</com:value></com:values></tro:value></tro:conditions>`
  const zones = lines.flatMap((line) => {
    const [file = '', periods = '', , sets = ''] = line.split(',')
    return periods.split('; ').flatMap((period, at) =>
      sets.split(' || ').map((set, nth) => {
        const [from = '', until = ''] = period.split('-')
        const labels = set.trim() === '' ? [] : set.trim().split('|')
        return zone
          .replace(/id="[^"]*"/, `id="28079_${file} ${at} ${nth}"`)
          .replace(/(?<=startTimeOfPeriod>)[^<]*/, from)
          .replace(/(?<=endTimeOfPeriod>)[^<]*/, until)
          .replace(sticker, labels.map(labelled).join(''))
          .replace(/<loc:openlrPolygonCorners>.*<\/loc:openlrPolygonCorners>/s, '')
      }),
    )
  })
  expect(lines).toHaveLength(45)
  const bytes = Buffer.from([head, ...zones, tail].join(''))
  const { rows, report } = await parsePublication(dgtZones, [{ name: 'all.xml', bytes }], AT)
  const found = [...rows.values()][0] as unknown as FeedRow<typeof lowEmissionZones>[]
  expect({ rows: found.length, unknown: report.unknownCodes, warnings: [...report.warnings], refused: report.quarantined }).toEqual({
    ...{ rows: zones.length, unknown: {}, warnings: [], refused: {} },
  })
  const sets = found.map(({ label_conditions }) => (label_conditions as unknown as { labels: string[] }[])[0]?.labels.join('|'))
  expect(sets.filter((set) => set === 'NONE').length).toBeGreaterThanOrEqual(28)
  // 22 files to 23:59:59, one to 23:59:00, and one with a second period from midnight to midnight.
  expect(new Set(found.filter(({ is_all_day }) => is_all_day).map(({ source_id }) => source_id.split(' ')[0])).size).toBe(24)
})
