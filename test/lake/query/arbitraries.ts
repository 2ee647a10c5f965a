import fc from 'fast-check'
import type { AnyRow } from '../../../lake/schema/dataset.ts'

const DAY = 86_400_000
const MONTH_START = Date.UTC(1969, 11, 1)

const text = fc.oneof(
  { arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map((value) => value.toWellFormed().replaceAll('\0', '')), weight: 20 },
  {
    arbitrary: fc.constantFrom(
      '',
      'a',
      'ab',
      "it's",
      '"quoted"',
      'ñandú',
      '\u{1f600}',
      '\u{10ffff}',
      'z'.repeat(80),
      `${'x'.repeat(70)}1`,
      `${'x'.repeat(70)}2`,
    ),
    weight: 20,
  },
  // Beyond the range of DuckDB's statistics.
  { arbitrary: fc.constantFrom('L'.repeat(12_000), `${'M'.repeat(12_000)}!`), weight: 1 },
)
const micros = (least: number, most: number): fc.Arbitrary<number> =>
  fc.integer({ min: least * 1000, max: most * 1000 }).map((value) => value / 1000)
const decimal = (digits: number, scale: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.integer({ min: -(10 ** digits - 1), max: 10 ** digits - 1 }).map((value) => value / 10 ** scale),
    fc.constantFrom(0, 1 / 10 ** scale, -1 / 10 ** scale, (10 ** digits - 1) / 10 ** scale),
  )
const big = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, -(2 ** 32)),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(whole),
)
const float = fc.oneof(fc.double(), fc.constantFrom(0, -0, Number.NaN, Infinity, -Infinity, 1e-300, -1.5))
const position = fc.record({ lat: fc.double({ min: -90, max: 90, noNaN: true }), lon: fc.double({ min: -180, max: 180, noNaN: true }) })
const path = fc.array(fc.tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true })), { minLength: 2, maxLength: 4 })
const finitePath = path.filter((line) => line.flat().every(Number.isFinite))
const polygon = fc.array(finitePath, { minLength: 1, maxLength: 2 })

/** A value of each column of `everything`, except its id. */
export const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  observed_at: micros(MONTH_START, MONTH_START + 90 * DAY),
  name: text,
  colour: fc.constantFrom('RED', 'BLUE', 'MAGENTA'),
  extra: fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null),
  small: fc.oneof(fc.integer(), fc.integer({ min: -3, max: 3 })),
  big,
  tiny: decimal(4, 1),
  price: decimal(9, 3),
  amount: decimal(15, 6),
  ratio: float,
  is_open: fc.boolean(),
  // Milliseconds hold whole microseconds up to 2^42 ms, in 2109.
  seen_at: micros(Date.UTC(1901, 0), Date.UTC(2100, 0)),
  valid_on: fc
    .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  leaves_at: fc.integer({ min: 0, max: 48 * 3600 }),
  position,
  path: finitePath,
  area: polygon,
  regions: fc.array(polygon, { minLength: 1, maxLength: 2 }),
  tags: fc.array(text, { maxLength: 3 }),
  stops: fc.array(micros(0, DAY), { maxLength: 3 }),
  rates: fc.array(decimal(9, 2), { maxLength: 3 }),
}

const REQUIRED = new Set(['observed_at'])

/** A row of `everything` without its id: nulls where they may be. */
export const anyRow: fc.Arbitrary<AnyRow> = fc.record(
  Object.fromEntries(
    Object.entries(VALUES).map(([name, value]) => [name, REQUIRED.has(name) ? value : fc.option(value, { nil: null, freq: 6 })]),
  ),
)

function whole(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}
