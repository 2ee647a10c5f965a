import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { type AnyFilter, conditionOf, predicateOf } from '../../../api/kernel/reads/filter.ts'
import type { Lake } from '../../../lake/open.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import { bind, join, outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { type Column, col } from '../../../lake/schema/columns.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { openTestLake } from '../../lake/query/fixtures.ts'

let lake: Lake
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
})
afterAll(() => lake?.close())

/** Every filter of records and tables, once. */
const declared = new Map(
  endpoints.flatMap(({ filters }) => filters.flatMap((filter) => (filter.where && filter.matches ? [[filter, filter.name] as const] : []))),
)

const orNull = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { nil: null })
const texts = col.list([0, 0], '', col.string(0, ''))
const someOf = (...values: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...values])
/** Kilometres as tables store them, with those at the ends of a stretch. */
const km = orNull(fc.constantFrom(0, 0.001, 9.999, 10, 10.001, 19.5, 20, 20.001))

/** The values of a column in generated tables, by its name: as the column is stored, and its allowed values. */
const COLUMNS: Readonly<Record<string, readonly [Column, fc.Arbitrary<unknown>]>> = {
  province_code: [col.string(0, ''), orNull(fc.constantFrom('08', '17', '28'))],
  municipality_code: [col.string(0, ''), orNull(fc.constantFrom('08019', '17079', '28079'))],
  road: [col.string(0, ''), orNull(fc.constantFrom('A-2', 'n ii', 'N-2', 'N-IIa', 'c1412B', 'Á-2', 'ñ-2', 'AP-7', '', 'A2 '))],
  km: [col.decimal(0, '', { scale: 3 }), km],
  km_to: [col.decimal(0, '', { scale: 3 }), km],
  position: [
    col.point([0, 0], ''),
    orNull(fc.record({ lat: fc.constantFrom(41, 41.25, 41.5, 41.75, 90, -90), lon: fc.constantFrom(1.5, 1.999, 2, 2.5, 180, -180) })),
  ],
  is_stale: [col.boolean(0, ''), fc.boolean()],
  type: [col.string(0, ''), orNull(fc.constantFrom('ACCIDENT', 'ROADWORKS', 'árbol'))],
  severity: [col.string(0, ''), orNull(fc.constantFrom('LOW', 'MEDIUM', 'HIGH', 'CRITICAL', 'UNKNOWN', 'FATAL'))],
  measures: [
    col.json(0, ''),
    fc.array(
      fc.record({
        kind: fc.constantFrom('ROAD_CLOSED', 'CARRIAGEWAY_CLOSED', 'LANES_CLOSED', 'NO_PASSAGE', 'DIVERSION'),
        lanes: someOf('ALL', 'RIGHT'),
        carriageways: someOf('MAIN', 'EXIT_SLIP_ROAD'),
        vehicles: someOf('HEAVY'),
        limits: fc.constantFrom([], [{ kind: 'SPEED', value: 80 }], [{ kind: 'WEIGHT', value: 3.5 }]),
      }),
      { maxLength: 2 },
    ),
  ],
  vessel_type: [col.string(0, ''), orNull(fc.constantFrom('CARGO', 'TANKER'))],
  accident_type: [col.string(0, ''), orNull(fc.constantFrom('PEDESTRIAN', 'FRONTAL'))],
  is_casualty: [col.boolean(0, ''), fc.boolean()],
  is_on_ground: [col.boolean(0, ''), orNull(fc.boolean())],
  category: [col.string(0, ''), orNull(fc.constantFrom('A1', 'A3', 'B4', 'C2'))],
  network: [col.string(0, ''), fc.constantFrom('CERCANIAS', 'LARGA_DISTANCIA')],
  nucleo_codes: [texts, someOf('10', '30', '40')],
  nucleo_code: [col.string(0, ''), orNull(fc.constantFrom('10', '30'))],
  lines: [texts, someOf('C1', 'C4a', 'C4A')],
  products: [texts, someOf('AVE', 'C1')],
  hashtags: [col.json(0, ''), fc.array(fc.record({ line: fc.constantFrom('C1', 'C4a') }), { maxLength: 2 })],
  stop_ids: [texts, someOf('17000', '37010')],
  kind: [col.string(0, ''), fc.constantFrom('NOTICE', 'CANCELLED')],
  effect: [col.string(0, ''), orNull(fc.constantFrom('REDUCED_SERVICE', 'DETOUR'))],
  sensor_type: [col.string(0, ''), fc.constantFrom('M30', 'URB')],
  city: [col.string(0, ''), fc.constantFrom('madrid', 'bilbao')],
  source: [col.string(0, ''), fc.constantFrom('madrid', 'dgt')],
  district: [col.integer(0, ''), orNull(fc.constantFrom(1, 4))],
  level_of_service: [col.string(0, ''), orNull(fc.constantFrom('FREE', 'CONGESTED'))],
  phase: [col.string(0, ''), fc.constantFrom('ACTIVE', 'PLANNED')],
  product: [col.string(0, ''), fc.constantFrom('DIESEL_A', 'GASOLINE_95_E5')],
  operator: [col.string(0, ''), fc.constantFrom('RENFE')],
  in_service: [col.boolean(0, ''), fc.boolean()],
  has_message: [col.boolean(0, ''), fc.boolean()],
  fuel: [col.string(0, ''), fc.constantFrom('DIESEL_A', 'DIESEL_B')],
  level: [col.string(0, ''), fc.constantFrom('MUNICIPALITY', 'DISTRICT', 'ORANGE')],
  phenomenon: [col.string(0, ''), fc.constantFrom('WIND', 'FOG')],
  study: [col.string(0, ''), fc.constantFrom('V1', 'V2')],
  airport: [col.string(0, ''), fc.constantFrom('MAD', 'BCN')],
  direction: [col.string(0, ''), fc.constantFrom('DEPARTURE', 'ARRIVAL')],
}

/** Values of filters whose parameters are groups, by the filter's name. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  place: fc.record({
    region: fc.constantFrom(['08'], ['08', '17'], ['08019', '28079'], null),
    municipality_codes: fc.constantFrom(['08019'], ['17079', '08019'], [], null),
  }),
  stretch: fc.record({
    road: orNull(fc.constantFrom(...['A-2', 'N-II', 'n 2 a', 'N-6', "' OR 1=1"].map(foldRoad))),
    km_from: orNull(fc.constantFrom(0, 10, 10.001, 20)),
    km_to: orNull(fc.constantFrom(0, 10, 19.5, 20)),
  }),
  geo: fc.constantFrom(
    null,
    { kind: 'box', west: 1.5, south: 41.25, east: 2, north: 41.75 },
    { kind: 'box', west: -180, south: -90, east: 180, north: 90 },
    { kind: 'circle', lat: 41.5, lon: 2, radius_m: 30_000 },
    { kind: 'circle', lat: 89.9, lon: 179.9, radius_m: 100_000 },
    { kind: 'circle', lat: 41.5, lon: 2, radius_m: 1 },
  ),
}

/** Values of a filter: for a group those of the table above, for a parameter any of its column or its list of values. */
function valuesOf({ name, param, columns = [] }: AnyFilter): fc.Arbitrary<unknown> {
  const ofGroup =
    VALUES[name] ??
    (name === 'bbox' ? (VALUES['geo'] as fc.Arbitrary<{ kind: string } | null>).filter((area) => area?.kind !== 'circle') : undefined)
  if (ofGroup) return ofGroup
  if (param.kind === 'group') throw new Error(`the test has no values for ${name}`)
  const [column, stored] = columnOf(columns[0] as string)
  if (param.schema['type'] === 'boolean') return orNull(fc.boolean())
  const one = param.schema['enum'] ? fc.constantFrom(...(param.schema['enum'] as string[])) : stored
  const known = column.kind === 'list' ? (stored as fc.Arbitrary<string[]>) : one.filter((value) => value !== null)
  if (!param.list) return fc.option(known, { nil: null })
  if (column.kind === 'list') return orNull(known)
  const listed = fc.array(known, { maxLength: 3 })
  // JSON objects and lists are no value of a parameter.
  if (column.kind === 'json') return orNull(listed)
  const others = fc.array(
    stored.filter((value) => value !== null),
    { maxLength: 2 },
  )
  return orNull(fc.oneof(listed, others))
}

function columnOf(name: string): readonly [Column, fc.Arbitrary<unknown>] {
  const found = COLUMNS[name.replace(/_(lat|lon)$/, '')]
  if (!found) throw new Error(`the test has no column ${name}`)
  return found
}

/** A table of rows, each with its place in the list. */
function table(rows: readonly Readonly<Record<string, unknown>>[], names: readonly string[]): Sql {
  const cell = (row: Readonly<Record<string, unknown>>, name: string): Sql => {
    const [column] = columnOf(name)
    const part = column.kind === 'point' ? (name.endsWith('_lat') ? 'lat' : 'lon') : null
    const value = part ? ((row['position'] as Record<string, number> | null)?.[part] ?? null) : (row[name] ?? null)
    return sql`${bind(name, column.kind === 'point' ? col.float(0, '') : column, value)} AS ${outputName(name)}`
  }
  return join(
    rows.map((row, nth) => sql`SELECT ${nth} AS nth, ${join(names.map((name) => cell(row, name)))}`),
    sql` UNION ALL `,
  )
}

describe('a filter selects the same records in memory and rows in SQL', () => {
  test('there are filters, and of each name one condition', () => {
    expect(declared.size).toBeGreaterThan(15)
  })

  test.each([...declared.keys()].map((filter) => [`${filter.name} (${filter.columns?.join()})`, filter] as const))(
    '%s',
    async (_name, filter) => {
      const names = filter.columns ?? []
      const fields = [...new Set(names.map((name) => name.replace(/_(lat|lon)$/, '')))]
      // A field of records in memory alone is null here.
      const row = fc.record(
        Object.fromEntries([...fields.map((name) => [name, columnOf(name)[1]] as const), ['other_train_id', fc.constant(null)]]),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), valuesOf(filter), async (rows, value) => {
          const values = { [filter.name]: value }
          const matches = predicateOf([filter], values, 0) ?? (() => true)
          const wanted = conditionOf([filter], values, outputName)
          const found = await lake.query(
            sql`SELECT nth, ${wanted} IS NULL AS is_unknown FROM (${table(rows, names)}) WHERE ${wanted} ORDER BY nth`,
          )
          expect(found.map((one) => Number(one['nth']))).toEqual(rows.flatMap((one, at) => (matches(one as never) ? [at] : [])))
        }),
        { numRuns: 25 },
      )
    },
  )
})
