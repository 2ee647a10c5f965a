import { afterAll, beforeAll, expect, test } from 'vitest'
import { accidentCodebook } from '../../../../lake/datasets/safety/accident-codebook.ts'
import { accidentPositions } from '../../../../lake/datasets/safety/accident-places.ts'
import { roadAccidents } from '../../../../lake/datasets/safety/road-accidents.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { golden } from '../../../helpers/golden.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const NOW = Date.UTC(2026, 0, 10)
const instant = (text: string): number => Date.parse(text)

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOW })
  await service.land(roadAccidents, ROWS, NOW)
  await service.land(accidentPositions, POSITIONS, NOW)
  await service.publish(accidentCodebook, BOOK, { at: NOW })
})
afterAll(() => service?.close())

/** A month of the national table, in the time of Madrid. */
function national(id: string, year: number, month: number, values: AnyRow = {}): AnyRow {
  const pad = (m: number): string => `${year}-${String(m).padStart(2, '0')}-01`
  const start = instant(`${pad(month)}T00:00:00Z`) - (month > 3 && month < 11 ? 2 : 1) * 3_600_000
  const end =
    instant(`${month === 12 ? `${year + 1}-01-01` : pad(month + 1)}T00:00:00Z`) - (month + 1 > 3 && month + 1 < 11 ? 2 : 1) * 3_600_000
  return exampleTableRow(roadAccidents, {
    ...{ edition: `dgt-${year}`, accident_id: id, year, month, period_start: start, period_end: end, ...values },
  })
}

/** An accident of a city, to the minute. */
function city(source: string, id: string, at: string, values: AnyRow = {}): AnyRow {
  const occurred_at = instant(at)
  return exampleTableRow(roadAccidents, {
    ...{
      source,
      edition: `${source}-${at.slice(0, 4)}`,
      accident_id: id,
      occurred_at,
      period_start: occurred_at,
      period_end: occurred_at + 60_000,
    },
    ...{
      time_precision: 'MINUTE',
      year: Number(at.slice(0, 4)),
      month: Number(at.slice(5, 7)),
      province_code: '28',
      municipality_code: '28079',
    },
    ...{
      road: null,
      km: null,
      killed_30d: null,
      hospitalised_30d: null,
      slight_30d: null,
      position: { lat: 40.4168, lon: -3.7038 },
      ...values,
    },
  })
}

const ROWS: readonly AnyRow[] = [
  national('a', 2024, 2, { province_code: '28', municipality_code: '28079', severity: 'FATAL', killed_30d: 1, road: 'A-1', km: 12 }),
  national('b', 2024, 3, {
    province_code: '28',
    municipality_code: null,
    road: 'A1',
    km: 20.5,
    absent: { municipality_code: 'ANONYMISED' },
  }),
  national('c', 2024, 3, { accident_type: 'PEDESTRIAN' }),
  national('d', 2023, 12, { severity: 'SERIOUS' }),
  city('madrid', 'm1', '2025-03-01T10:00:00Z', { severity: 'SLIGHT' }),
  city('madrid', 'm2', '2025-03-02T10:00:00Z', { severity: 'NONE', is_casualty: false, position: null }),
  city('barcelona', 'b1', '2024-03-05T10:00:00Z', { province_code: '08', municipality_code: '08019' }),
]
/** A published position of the accident on the A-1 at km 12; and one of an edition with a position for that id. */
const POSITIONS: readonly AnyRow[] = [
  ['dgt_accidents', 'dgt-2024', 'a', 40.5],
  ['madrid', 'madrid-2025', 'm1', 40.9],
].map(([source, edition, accident_id, lat]) =>
  exampleTableRow(accidentPositions, { source, edition, accident_id, position: { lat, lon: -3.7 }, error_m: 312 }),
)
const BOOK: readonly AnyRow[] = [
  exampleRow(accidentCodebook, { variable: 'TIPO_VIA', value: '3', label: 'Autovía' }),
  exampleRow(accidentCodebook, { variable: 'ACERA', value: '998', label: 'No aplica' }),
  exampleRow(accidentCodebook, { variable: 'CONDICION_FIRME', value: '9', label: 'Se desconoce' }),
  exampleRow(accidentCodebook, { variable: 'TOTAL_MU24H', value: '-', label: 'Número total de fallecidos' }),
  exampleRow(accidentCodebook, { variable: 'TIPO_VIA', value: '44', label: 'Vía nueva' }),
]

const list = (query = ''): Promise<Reply> => service.json(`/api/accidentes/microdata${query ? `?${query}` : ''}`)
const ids = async (query = ''): Promise<string[]> => (await list(query)).accidents.map((one: Reply) => one.accident_id)

test('positions are the published ones, or those of the road and kilometre, and say which', async () => {
  const listed = async (query: string): Promise<unknown[][]> =>
    (await list(query)).accidents.map((one: Reply) => [one.accident_id, one.lat, one.location_method, one.location_error_m])
  expect(await listed('year=2024&sort=km')).toEqual([
    ['a', 40.5, 'ROAD_KM', 312],
    ['b', null, null, null],
    ['c', null, null, null],
  ])
  expect(await listed('source=madrid')).toEqual([['m1', 40.4168, null, null]])
  expect(await ids('bbox=-3.8,40.45,-3.6,40.55')).toEqual(['a'])
  expect(await ids('source=madrid&bbox=-3.8,40.85,-3.6,40.95')).toEqual([])
  const [counted] = (await service.json('/api/accidentes/stats?bbox=-3.8,40.45,-3.6,40.55')).stats
  const [row] = await golden(
    service.lake,
    [roadAccidents, accidentPositions],
    `SELECT count(*) AS accidents FROM road_accidents AS a JOIN accident_positions AS p USING (edition, accident_id)
     WHERE a.source = 'dgt_accidents' AND a.year = 2024 AND a.is_casualty AND p.position_lat BETWEEN 40.45 AND 40.55 AND p.position_lon BETWEEN -3.8 AND -3.6`,
  )
  expect([counted.year, counted.accidents]).toEqual([2024, row?.['accidents']])
})

test('the national table by default, newest first; other sources beside it, never in its place', async () => {
  expect(await ids()).toEqual(['c', 'b', 'a', 'd'])
  expect(await ids('source=madrid')).toEqual(['m1'])
  expect(await ids('source=dgt_accidents,barcelona&year=2024')).toEqual(['b1', 'c', 'b', 'a'])
  const [one] = (await list('source=madrid')).accidents
  expect(one).toMatchObject({
    source: 'madrid',
    casualty: true,
    province: 'Madrid',
    lat: 40.4168,
    lon: -3.7038,
    occurred_at: '2025-03-01T10:00:00.000Z',
    killed_30d: null,
  })
})

test('only accidents with casualties by default', async () => {
  expect(await ids('source=madrid&casualty=false')).toEqual(['m2'])
  expect(await ids('source=madrid&casualty=all')).toEqual(['m2', 'm1'])
})

test('a period keeps an accident only where all of its span is inside', async () => {
  expect(await ids('from=2024-02-01&to=2024-03-01')).toEqual(['a'])
  expect(await ids('from=2024-02-02')).toEqual(['c', 'b'])
  expect(await ids('to=2024-03-31')).toEqual(['a', 'd'])
  expect(await ids('from=2020-01-01&to=2024-04-01')).toEqual(['c', 'b', 'a', 'd'])
  expect(await ids('source=madrid&casualty=all&from=2025-03-01T10:00:00Z&to=2025-03-01T10:01:00Z')).toEqual(['m1'])
  expect(await ids('source=madrid&casualty=all&from=2025-03-01T10:00:00Z&to=2025-03-01T10:00:59Z')).toEqual([])
})

test('by place, road, kind and severity', async () => {
  expect(await ids('province=Madrid')).toEqual(['b', 'a'])
  // A missing municipality never matches.
  expect(await ids('municipality=Madrid')).toEqual(['a'])
  expect(await ids('road=A1&km_from=15')).toEqual(['b'])
  expect(await ids('accident_type=pedestrian')).toEqual(['c'])
  expect(await ids('severity=FATAL,SERIOUS')).toEqual(['a', 'd'])
  expect(await ids('source=madrid&casualty=all&lat=40.4168&lon=-3.7038&radius=100')).toEqual(['m1'])
  expect((await list('province=Madrid')).accidents[0]).toMatchObject({
    municipality_code: null,
    absent: { municipality_code: 'ANONYMISED' },
    occurred_at: null,
    time_precision: 'MONTH',
  })
})

test('a year that the national table lacks is answered by the other sources, and says so', async () => {
  expect(await ids('year=2025')).toEqual(['m1'])
  expect(await ids('year=2025,2023')).toEqual(['m1', 'd'])
  // Barcelona has 2024, too: the national table answers for it.
  expect(await ids('year=2024,2025')).toEqual(['m1', 'c', 'b', 'a'])
  expect((await list('year=2025')).coverage).toEqual([
    { source: 'barcelona', years: [2024], missing_years: [2025] },
    { source: 'dgt_accidents', years: [2023, 2024], missing_years: [2025] },
    { source: 'madrid', years: [2025], missing_years: [] },
    { source: 'sct_accidents', years: [], missing_years: [2025] },
  ])
  expect((await list('source=madrid')).coverage).toEqual([{ source: 'madrid', years: [2025], missing_years: [] }])
  const { stats, coverage } = await service.json('/api/accidentes/stats?year=2025')
  expect(stats.map((one: Reply) => [one.source, one.year, one.accidents])).toEqual([['madrid', 2025, 1]])
  expect(coverage).toHaveLength(4)
})

test('a year without data of the source is refused, with the available years; no other is suggested', async () => {
  const response = await service.get('/api/accidentes/microdata?source=dgt_accidents&year=2025')
  const problem = (await response.json()) as Reply
  expect([response.status, problem.errors[0].parameter]).toEqual([400, 'year'])
  expect(problem.errors[0].detail).toContain('a year with accidents in the source: 2023, 2024')
  expect(problem.errors[0].detail).not.toContain('did you mean')
  const nobody = await list('year=2019')
  expect([nobody.status, nobody.errors[0].detail]).toEqual([400, expect.stringContaining('2023, 2024, 2025')])
  expect(await ids('source=madrid&year=2025')).toEqual(['m1'])
  // There are some, but none in that place.
  expect(await ids('year=2024&province=Soria')).toEqual([])
})

test('as CSV where a client has no JSON, with a total on request', async () => {
  const response = await service.get('/api/accidentes/microdata?format=csv&year=2023')
  const [header, line] = (await response.text()).split('\r\n')
  expect(header?.startsWith('accident_id,source,edition,casualty,severity,year')).toBe(true)
  expect(line?.startsWith('d,dgt_accidents,dgt-2023,true,SERIOUS,2023')).toBe(true)
  expect((await list('total=exact')).total).toBe(4)
})

test.each([
  ['casualty=yes', 'casualty'],
  ['source=dgt', 'source'],
  ['severity=DEADLY', 'severity'],
  ['from=2024-03-01&to=2024-02-01', 'from'],
  ['year=x', 'year'],
])('%s is refused', async (query, parameter) => {
  const response = await service.get(`/api/accidentes/microdata?${query}`)
  expect([response.status, ((await response.json()) as Reply).errors[0].parameter]).toEqual([400, parameter])
})

const dictionary = (query = ''): Promise<Reply> => service.json(`/api/accidentes/microdata/diccionario${query ? `?${query}` : ''}`)

test('the codebook has every column of an accident, its codes, and their values in each source', async () => {
  const { columns } = await dictionary()
  const [accident] = (await list()).accidents
  const own = Object.keys(accident).filter((name) => !['province', 'date', 'lat', 'lon'].includes(name))
  expect(columns.map((one: Reply) => one.column).sort()).toEqual([...own, 'position'].sort())
  const type = columns.find((one: Reply) => one.column === 'road_type')
  expect(type).toMatchObject({ type: 'code', unit: null, nullable: true })
  expect(type.codes.find((one: Reply) => one.code === 'AUTOVIA')).toMatchObject({ label: 'Autovía' })
  const dgt = type.variables.find((one: Reply) => one.source === 'dgt_accidents')
  expect(dgt.variable).toBe('TIPO_VIA')
  expect(dgt.values.find((one: Reply) => one.value === '3')).toEqual({ value: '3', label: 'Autovía', code: 'AUTOVIA', reason: null })
  // A value that came with a newer dictionary is shown, without a code.
  expect(dgt.values.find((one: Reply) => one.value === '44')).toEqual({ value: '44', label: 'Vía nueva', code: null, reason: null })
})

test('a fact that the source does not publish has its reason in the codebook; labels are in the requested language', async () => {
  const { columns } = await dictionary('source=dgt_accidents&lang=en')
  const variable = (column: string, name: string): Reply =>
    columns.find((one: Reply) => one.column === column).variables.find((one: Reply) => one.variable === name)
  expect(variable('surface', 'CONDICION_FIRME').values.find((one: Reply) => one.value === '9')).toMatchObject({
    code: null,
    reason: 'UNKNOWN',
  })
  expect(variable('sidewalk', 'ACERA').values.find((one: Reply) => one.value === '998')).toMatchObject({ reason: 'NOT_APPLICABLE' })
  expect(variable('killed_24h', 'TOTAL_MU24H')).toMatchObject({ about: 'Número total de fallecidos', values: [] })
  expect(columns.find((one: Reply) => one.column === 'surface').codes[0]).toMatchObject({ code: 'DRY', label: 'Dry and clean' })
  expect(
    columns.flatMap((one: Reply) => one.variables.map(({ source }: Reply) => source)).every((source: string) => source === 'dgt_accidents'),
  ).toBe(true)
  const madrid = (await dictionary('source=madrid')).columns.map((one: Reply) => one.column)
  expect(madrid).toEqual(expect.arrayContaining(['weather', 'persons', 'position']))
  expect(madrid).not.toContain('road_type')
})

test('every code of the national table that a column has is one of its own list', async () => {
  const { columns } = await dictionary('source=dgt_accidents')
  const strange = columns.flatMap(({ column, codes, variables }: Reply) => {
    const known = [...codes.map((one: Reply) => one.code), 'true', 'false']
    return variables.flatMap(({ values }: Reply) =>
      values.filter(({ code }: Reply) => code !== null && !known.includes(code)).map(({ code }: Reply) => [column, code]),
    )
  })
  expect(strange).toEqual([])
})
