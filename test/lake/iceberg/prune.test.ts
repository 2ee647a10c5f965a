import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ManifestedFile, toManifested } from '../../../lake/iceberg/manifest.ts'
import { summarise } from '../../../lake/iceberg/manifest-list.ts'
import type { PartitionPart } from '../../../lake/iceberg/manifest-schema.ts'
import { constraintOf, metricsMayMatch, partitionMayMatch, summaryMayMatch } from '../../../lake/iceberg/prune.ts'
import { resultType, type Transform } from '../../../lake/iceberg/transforms.ts'
import type { Bound, ColumnFilter, FieldMetrics } from '../../../lake/iceberg/types.ts'
import { compareValues } from '../../../lake/iceberg/values.ts'
import { transformValue } from './partition-value.ts'

interface TypeCase {
  readonly type: string
  /** Values as files hold them. */
  readonly values: fc.Arbitrary<Bound>
  /** Values as rows and filters hold them, near the others. */
  readonly asked: fc.Arbitrary<unknown>
  /** The bounds that a reader may use for a queried value, in the file's terms. */
  readonly taken: (asked: never) => readonly Bound[]
  readonly transforms: readonly Transform[]
}

const DAY_US = 86_400_000_000n
const text = fc
  .string({ unit: fc.constantFrom('a', 'b', 'ñ', '\uff5e', '😀'), maxLength: 3 })
  .chain((end) => fc.constantFrom(end, 'a'.repeat(63) + end))
const micros = fc.oneof(
  fc.bigInt({ min: -5n, max: 5n }),
  fc.bigInt({ min: -800n, max: 800n }).map((days) => days * DAY_US),
  fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
)
const double = fc.oneof(fc.constantFrom(Number.NaN, 0, -0, Infinity, -Infinity), fc.integer({ min: -4, max: 4 }), fc.double())
const whole = fc.oneof(fc.integer({ min: -4, max: 4 }), fc.double({ min: -4, max: 4, noNaN: true }))

const CASES: readonly TypeCase[] = [
  { type: 'int', values: fc.integer({ min: -4, max: 4 }), asked: whole, taken: (asked: number) => [asked], transforms: ['identity'] },
  { type: 'long', values: fc.bigInt({ min: -4n, max: 4n }), asked: whole, taken: (asked: number) => [asked], transforms: ['identity'] },
  {
    type: 'date',
    values: fc.integer({ min: -800, max: 800 }),
    asked: fc.integer({ min: -800, max: 800 }).map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10)),
    taken: (asked: string) => [Date.parse(asked) / 86_400_000],
    transforms: ['identity', 'day', 'month'],
  },
  {
    type: 'timestamptz',
    values: micros,
    asked: micros.map((one) => Number(one) / 1000),
    taken: (asked: number) => [BigInt(Math.round(asked * 1000))],
    transforms: ['identity', 'day', 'month'],
  },
  {
    type: 'decimal(9, 3)',
    values: fc.oneof(fc.bigInt({ min: -3n, max: 3n }), fc.bigInt({ min: -3000n, max: 3000n })),
    asked: fc.oneof(
      fc.integer({ min: -40, max: 40 }).map((one) => one / 10_000),
      fc.integer({ min: -30_000, max: 30_000 }).map((one) => one / 10_000),
      fc.double({ min: -3, max: 3, noNaN: true }),
    ),
    // As the decimal it rounds to, or as the number it is.
    taken: (asked: number) => [BigInt(Math.round(asked * 1000)), asked * 1000],
    transforms: ['identity'],
  },
  { type: 'double', values: double, asked: double, taken: (asked: number) => [asked], transforms: ['identity'] },
  { type: 'boolean', values: fc.boolean(), asked: fc.boolean(), taken: (asked: boolean) => [asked], transforms: ['identity'] },
  { type: 'string', values: text, asked: text, taken: (asked: string) => [asked], transforms: ['identity'] },
  {
    type: 'binary',
    values: fc.uint8Array({ maxLength: 3 }).map((one) => Buffer.from(one)),
    asked: fc.uint8Array({ maxLength: 3 }),
    taken: (asked: Uint8Array) => [Buffer.from(asked)],
    transforms: ['identity'],
  },
]

/** True where a row matches, by SQL's rules: nulls match nothing but `eq: null`, taken as IS NULL. */
function matches(one: TypeCase, filter: ColumnFilter, value: Bound | null): boolean {
  const any = (asked: unknown, test: (order: number) => boolean): boolean => {
    if (asked === null) return false
    return value !== null && one.taken(asked as never).some((taken) => test(compareValues(value, taken)))
  }
  return Object.entries(filter).every(([operator, asked]) => {
    if (operator === 'in') return (asked as unknown[]).some((each) => (each === null ? value === null : any(each, (order) => order === 0)))
    if (operator === 'eq') return asked === null ? value === null : any(asked, (order) => order === 0)
    if (operator === 'gte') return any(asked, (order) => order >= 0)
    if (operator === 'gt') return any(asked, (order) => order > 0)
    return operator === 'lte' ? any(asked, (order) => order <= 0) : any(asked, (order) => order < 0)
  })
}

/** One condition or two: more leave hardly a row that matches. */
function filterOf(asked: fc.Arbitrary<unknown>): fc.Arbitrary<ColumnFilter> {
  const one = fc.option(asked, { freq: 10 })
  const condition = fc.oneof(
    fc.record({ eq: one }),
    fc.record({ in: fc.array(one, { maxLength: 3 }) }),
    ...['gte', 'gt', 'lte', 'lt'].map((operator) => asked.map((value) => ({ [operator]: value }))),
  )
  return fc.oneof(
    condition,
    fc.tuple(condition, condition).map(([a, b]) => ({ ...a, ...b })),
  )
}

function fileOf(type: string, values: readonly (Bound | null)[], partition: Bound | null): ManifestedFile {
  const held = values.filter((value): value is Bound => value !== null)
  const ordered = held.filter((value) => !Number.isNaN(value)).toSorted(compareValues)
  const metrics: FieldMetrics = {
    values: values.length,
    nulls: values.length - held.length,
    nans: type === 'double' ? held.filter((value) => Number.isNaN(value)).length : null,
    lower: ordered[0] ?? null,
    upper: ordered.at(-1) ?? null,
    bytes: null,
  }
  const field = { id: 1, name: 'column', required: false, type }
  const file = {
    key: 'k',
    rows: values.length,
    bytes: 1,
    partition: [partition],
    specId: 0,
    sortOrderId: 0,
    metrics: new Map([[1, metrics]]),
  }
  return toManifested(file, () => field)
}

describe.each(CASES)('pruning by a column of type $type', (one) => {
  test('never drops a file or a manifest with a match', () => {
    const rows = fc.array(fc.option(one.values, { freq: 5 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(rows, filterOf(one.asked), fc.constantFrom(...one.transforms), (values, filter, transform) => {
        const constraint = constraintOf('column', one.type, filter)
        if (!constraint) return
        const part: PartitionPart = {
          id: 1000,
          name: 'part',
          type: resultType(transform, one.type),
          sourceId: 1,
          sourceType: one.type,
          transform,
        }
        const matching = values.filter((value) => matches(one, filter, value))
        const file = fileOf(one.type, values, null)
        if (matching.length > 0) expect(metricsMayMatch(constraint, one.type, 1, file)).toBe(true)
        const files = values.map((value) => fileOf(one.type, [value], transformValue(transform, one.type, value)))
        files.forEach((each, at) => {
          if (matches(one, filter, values[at] ?? null)) expect(partitionMayMatch(constraint, part, each.partition[0] ?? null)).toBe(true)
        })
        const entries = files.map((each) => ({ status: 1, snapshotId: 1, sequenceNumber: 1, fileSequenceNumber: 1, file: each }))
        const { partitions } = summarise({ key: 'm', bytes: 1, specId: 0, snapshotId: 1, sequenceNumber: 1, parts: [part], entries })
        const [summary] = partitions
        if (matching.length > 0 && summary) expect(summaryMayMatch(constraint, part, summary)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('pruning drops', () => {
  const keeps = (type: string, filter: ColumnFilter, values: readonly (Bound | null)[]): boolean => {
    const constraint = constraintOf('column', type, filter)
    return constraint === null || metricsMayMatch(constraint, type, 1, fileOf(type, values, null))
  }

  test.each([
    ['int', { gt: 3 }, [1, 2, 3]],
    ['int', { lt: 1 }, [1, 2, 3]],
    ['int', { in: [0, 9] }, [1, 2, 3]],
    ['int', { in: [] }, [1]],
    ['int', { eq: null }, [1]],
    ['int', { gte: 2 }, [null, null]],
    ['int', { gte: 4, lte: 3 }, [1, 9]],
    ['long', { gt: 3 }, [3n]],
    ['timestamptz', { lt: 0.001 }, [1n]],
    ['timestamptz', { gt: 0.001 }, [1n]],
    ['decimal(9, 3)', { eq: 1.42 }, [1419n, 1421n].slice(0, 1)],
    ['double', { lte: 5 }, [Number.NaN, 6]],
    ['string', { eq: 'b' }, ['c', 'd']],
    ['string', { gt: 'd' }, ['c', 'ca']],
    ['boolean', { eq: true }, [false, null]],
    ['date', { gte: '1970-01-02' }, [0]],
  ] as const)('%s %o from %o', (type, filter, values) => {
    expect(keeps(type, filter, values)).toBe(false)
  })

  test('nothing where NaN may match, as in DuckDB', () => {
    expect(keeps('double', { gt: 5 }, [1, Number.NaN])).toBe(true)
    expect(keeps('double', { eq: Number.NaN }, [1, Number.NaN])).toBe(true)
    expect(keeps('double', { eq: Number.NaN }, [1, 2])).toBe(false)
  })

  test('months and days at their very edge', () => {
    const part: PartitionPart = { id: 1000, name: 'm', type: 'int', sourceId: 1, sourceType: 'timestamptz', transform: 'month' }
    const october = constraintOf('at', 'timestamptz', { gte: Date.parse('2025-10-01T00:00:00Z'), lt: Date.parse('2025-11-01T00:00:00Z') })
    const month = (text: string): Bound | null => transformValue('month', 'timestamptz', BigInt(Date.parse(text)) * 1000n)
    if (!october) throw new Error('no constraint')
    const kept = ['2025-09-30T23:59:59.999Z', '2025-10-01T00:00:00Z', '2025-10-31T23:59:59.999Z', '2025-11-01T00:00:00Z'].map((at) =>
      partitionMayMatch(october, part, month(at)),
    )
    expect(kept).toStrictEqual([false, true, true, false])
    expect(transformValue('month', 'timestamptz', -1n)).toBe(-1)
    expect(transformValue('day', 'timestamptz', -1n)).toBe(-1)
    expect(transformValue('month', 'date', -1)).toBe(-1)
  })
})

describe('a filter that cannot be', () => {
  test.each([
    ['int', { eq: 'x' }, 'filter of column column: "x" is not a number'],
    ['string', { in: [1] }, 'filter of column column: 1 is not a text'],
    ['string', { in: 'x' }, 'filter of column column: "x" is not a list of values'],
    ['date', { gt: '2025-13-01' }, 'filter of column column: "2025-13-01" is not a date YYYY-MM-DD'],
    ['date', { gt: 5 }, 'filter of column column: 5 is not a date YYYY-MM-DD'],
    ['boolean', { eq: 1 }, 'filter of column column: 1 is not true or false'],
  ])('%s %o is refused by name', (type, filter, message) => {
    expect(() => constraintOf('column', type, filter as ColumnFilter)).toThrow(message)
  })
})
