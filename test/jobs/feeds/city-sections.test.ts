import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { barcelonaHistory } from '../../../jobs/feeds/road/barcelona-history.ts'
import { barcelonaSections, barcelonaTraffic } from '../../../jobs/feeds/road/barcelona-traffic.ts'
import { bilbaoTraffic } from '../../../jobs/feeds/road/bilbao-traffic.ts'
import { valenciaTraffic } from '../../../jobs/feeds/road/valencia-traffic.ts'
import { isBulk, makeBulk } from '../../../jobs/ingest/bulk.ts'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { warningLines } from '../../../jobs/ingest/diagnostics.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { Lake } from '../../../lake/open.ts'
import { lengthM } from '../../../lake/places/lines.ts'
import { areaMiddle, lineMiddle } from '../../../lake/places/middles.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { openEngineContext } from '../../helpers/engine-context.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const AT = Date.UTC(2026, 10, 26)

let lake: Lake
let context: IngestContext
beforeAll(async () => {
  context = await openEngineContext()
  lake = context.lake
})
afterAll(() => lake.close())

function parse(feed: Feed, bytes: Buffer, name = 'sections', at = AT): Promise<Publication> {
  return parsePublication(feed, [{ name, bytes }], at, { keeps: () => true })
}

const rowsOf = (publication: Publication, dataset: string): AnyRow[] => publication.rows.get(dataset) as AnyRow[]
const fixture = (path: string): Buffer => readFileSync(join(PROJECT, 'test/fixtures', path))
const text = (rows: readonly AnyRow[]): string[] =>
  rows.map(({ fetch_id: _, ...row }) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))).sort()

test.each(['2026-08', '2026-10'])('the month %s of Barcelona gives the same rows as a file that lands and as a sample', async (month) => {
  if (!isBulk(barcelonaHistory)) throw new Error('rows are made by the engine')
  const bytes = fixture(`barcelona_history/${month}.csv`)
  const of = { bodies: [{ name: month, bytes }], fetch_id: 'barcelona_history.x', fetchedAt: AT, signal: new AbortController().signal }
  const { publication, staged } = await makeBulk(context, barcelonaHistory, of)
  const made = await lake.query(sql`SELECT * EXCLUDE (fetch_id) FROM ${staged.table} ORDER BY ALL`)
  await staged.drop()
  const parsed = await parse(barcelonaHistory, bytes, month)
  expect(text(made)).toEqual(text(rowsOf(parsed, 'traffic_section_states_archive')))
  expect([publication.counts, publication.report.unknownCodes]).toEqual([parsed.counts, parsed.report.unknownCodes])
})

test('the engine refuses a month with a line of another one, or of another width', async () => {
  if (!isBulk(barcelonaHistory)) throw new Error('rows are made by the engine')
  const good = fixture('barcelona_history/2026-08.csv').toString()
  for (const bad of [good.replace('20260831', '20260901'), `${good}3,20260831235557,1\n`, good.replace('20260831235557', 'yesterday')]) {
    const bodies = [{ name: '2026-08', bytes: Buffer.from(bad) }]
    const of = { bodies, fetch_id: 'barcelona_history.x', fetchedAt: AT, signal: new AbortController().signal }
    await expect(makeBulk(context, barcelonaHistory, of)).rejects.toThrow(/a month other than the file|not as it should be/)
  }
})

test('the months of the portal are those whose file has the name of one', () => {
  const url = (name: string): string => `https://opendata-ajuntament.barcelona.cat/data/dataset/trams/resource/1/download/${name}`
  const names = ['2026_08_Agost_TRAMS_TRAMS.csv', '2020_03_Marc_TRAMS_TRAMS.csv', 'TRAMS_TRAMS.dat', '2026_08_Agost_ITINERARIS.csv']
  const bytes = Buffer.from(
    JSON.stringify({ result: { resources: [{ name: 'no address' }, ...names.map((name) => ({ url: url(name) }))] } }),
  )
  expect(barcelonaHistory.archive?.files([{ name: 'list', bytes }], { from: '2020-01-01', to: '2026-12-31' })).toEqual([
    { period: '2026-08', url: url('2026_08_Agost_TRAMS_TRAMS.csv') },
    { period: '2020-03', url: url('2020_03_Marc_TRAMS_TRAMS.csv') },
  ])
})

test('in the hour that October repeats the time of a live state is the one before the fetch', async () => {
  const bytes = Buffer.from('1#20261025023056#3#2\n')
  const times = await Promise.all(
    ['00:31', '01:31'].map(async (time) => {
      const { rows } = await parse(barcelonaTraffic, bytes, 'sections', Date.parse(`2026-10-25T${time}:00Z`))
      return new Date((rows.get('traffic_section_states') as AnyRow[])[0]?.['observed_at'] as number).toISOString()
    }),
  )
  expect(times).toEqual(['2026-10-25T00:30:56.000Z', '2026-10-25T01:30:56.000Z'])
})

test('the middle of a line is half-way along it, that of an area its centre of gravity', () => {
  const line = [
    [0, 0],
    [0.003, 0],
    [0.003, 0.001],
  ] as const
  expect(lineMiddle(line)).toEqual({ lat: 0, lon: 0.002 })
  expect(lengthM(line)).toBeCloseTo(444.8, 1)
  const square = (west: number, size: number) =>
    [
      [west, 0],
      [west + size, 0],
      [west + size, size],
      [west, size],
      [west, 0],
    ] as const
  expect(areaMiddle([[square(5, 0.1)], [square(1, 0.2)]])).toEqual({ lat: 0.1, lon: 1.1 })
})

const countsOf = (rows: readonly AnyRow[], column: string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(rows, (row) => String(row[column]))].map(([value, some]) => [value, some.length]))

test.skipIf(shared === null)('both editions of Barcelona have the sections that the notes count', async () => {
  const edition = (name: string): Buffer => readFileSync(join(shared as string, 'feeds/barcelona-trams', name))
  const older = rowsOf(await parse(barcelonaSections, edition('transit_relacio_trams_2020.csv')), 'traffic_sections')
  const newer = rowsOf(await parse(barcelonaSections, edition('transit_relacio_trams_format_long_202510.csv')), 'traffic_sections')
  expect([older.length, newer.length]).toEqual([492, 527])
  const known = new Set(older.map(({ section_id }) => section_id))
  expect(newer.filter(({ section_id }) => !known.has(section_id))).toHaveLength(35)
  expect(older.filter(({ line }) => line === null).map(({ section_id }) => section_id)).toEqual(['242'])
  expect([newer.filter(({ line }) => line === null), newer.filter(({ name }) => name === null)]).toEqual([[], []])
  expect(Math.max(...newer.map(({ line }) => (line as unknown[]).length))).toBeLessThanOrEqual(47)
})

test.skipIf(shared === null).each([
  ['20250411T155843Z', 380, { 0: 339, 5: 29, 1: 10, 6: 1, 3: 1 }, { FREE: 368, DENSE: 11, CLOSED: 1 }, 4],
  ['20250518T085819Z', 376, { 0: 315, 3: 30, 5: 28, 8: 2, 1: 1 }, { FREE: 343, CLOSED: 32, DENSE: 1 }, 0],
  ['20250925T085406Z', 376, { 4: 360, 3: 7, 0: 9 }, { UNKNOWN: 360, CLOSED: 7, FREE: 9 }, 0],
  ['20260430T174317Z', 412, { 0: 373, 1: 28, 2: 6, 3: 4, null: 1 }, { FREE: 373, DENSE: 28, CONGESTED: 6, CLOSED: 4, UNKNOWN: 1 }, 0],
] as const)('València at %s has the states that the notes count', async (time, features, states, levels, withoutLine) => {
  const bytes = readFileSync(join(shared as string, `feeds/valencia-trafico/mapserver192_${time}.geojson`))
  const publication = await parse(valenciaTraffic, bytes)
  const [rows, sections] = [rowsOf(publication, 'traffic_section_states'), rowsOf(publication, 'traffic_sections')]
  expect([rows.length, countsOf(rows, 'source_state'), countsOf(rows, 'level')]).toEqual([features, states, levels])
  expect(sections.filter(({ line }) => line === null)).toHaveLength(withoutLine)
  // Codes of underpasses are of sections that are called so.
  const underpasses = new Set(sections.filter((one) => one['is_underpass']).map(({ section_id }) => section_id))
  expect(rows.filter((row) => Number(row['source_state']) > 4 && !underpasses.has(row['section_id']))).toEqual([])
})

test.skipIf(shared === null)('Bilbao has 81 areas; 11 of them have not changed since 2016 to 2023', async () => {
  const bytes = readFileSync(join(shared as string, 'feeds/bilbao-trafico/srvDatasetTrafico_20260129.geojson'))
  const publication = await parse(bilbaoTraffic, bytes)
  const [rows, sections] = [rowsOf(publication, 'traffic_section_states'), rowsOf(publication, 'traffic_sections')]
  expect([rows.length, sections.length, sections.filter(({ area }) => area === null)]).toEqual([81, 81, []])
  const years = rows.flatMap((row) => (row['reported_at'] === null ? [] : [new Date(row['reported_at'] as number).getUTCFullYear()]))
  expect(
    countsOf(
      years.map((year) => ({ year })),
      'year',
    ),
  ).toEqual({ 2016: 2, 2018: 5, 2019: 2, 2023: 2 })
  expect(rows.filter((row) => (row['intensity_veh_h'] as number) < 0 || row['speed_kmh'] === 0)).toEqual([])
  expect(countsOf(rows, 'level')).toEqual({ UNKNOWN: 31, FREE: 42, DENSE: 6, VERY_DENSE: 2 })
  expect(warningLines(publication.report)).toContain('a section whose report is more than 30 minutes old: no data (11 times)')
})
