import { describe, expect, test } from 'vitest'
import { compactionGroups } from '../../../jobs/upkeep/compact.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import type { LiveFile } from '../../../lake/iceberg/types.ts'
import { partitionValue } from '../../../lake/schema/partitions.ts'

const MB = 1024 ** 2
const MINUTE = 60_000
const DAY = 86_400_000
const MARCH = Date.UTC(2026, 2, 1)
const APRIL = Date.UTC(2026, 3, 1)
const TIME = trafficReadings.columns.observed_at.id
const [MONTH] = trafficReadings.partition as [(typeof trafficReadings.partition)[number]]

/** A file of rows from one instant to another. */
function file(key: string, from: number, to: number, { bytes = MB, rows = 1000 } = {}): LiveFile {
  const bounds = { values: rows, nulls: 0, nans: null, lower: BigInt(from) * 1000n, upper: BigInt(to) * 1000n, bytes: null }
  const metrics = new Map([[TIME, bounds]])
  return {
    key,
    rows,
    bytes,
    metrics,
    partition: [partitionValue(MONTH, from)],
    specId: 0,
    sortOrderId: 1,
    snapshotId: 1n,
    sequenceNumber: 1,
  }
}

const groups = (files: readonly LiveFile[]): [reason: string, keys: string[]][] =>
  compactionGroups(trafficReadings, files, { timeId: TIME, now: Number.POSITIVE_INFINITY }).map((group) => [
    group.reason,
    group.files.map(({ key }) => key),
  ])
const days = (count: number, options: { bytes: number }): LiveFile[] =>
  Array.from({ length: count }, (_, day) => file(`day ${day}`, MARCH + day * DAY, MARCH + (day + 1) * DAY - 1, options))

describe('the files to compact', () => {
  test('none of an empty table, of single files and of an open day with few', () => {
    expect(groups([])).toEqual([])
    expect(groups(days(3, { bytes: MB }))).toEqual([])
    const open = Array.from({ length: 5 }, (_, at) => file(`${at}`, MARCH + at * MINUTE, MARCH + at * MINUTE))
    expect(groups(open)).toEqual([])
  })

  test('a closed day whole, the open day by its newest files, each for itself', () => {
    const closed = [file('b', MARCH + MINUTE, MARCH + MINUTE), file('a', MARCH, MARCH)]
    const rows = [90_000, 14_000, 2000, 300, 300, 300]
    const open = rows.map((count, at) => file(`open ${at}`, MARCH + DAY + at * MINUTE, MARCH + DAY + at * MINUTE, { rows: count }))
    expect(groups([...open.toReversed(), ...closed])).toEqual([
      ['open day', ['open 1', 'open 2', 'open 3', 'open 4', 'open 5']].map((part) => part) as never,
      ['closed day', ['a', 'b']],
    ])
  })

  test('a closed month of any small files into one, and not again', () => {
    const april = file('april', APRIL, APRIL)
    expect(groups([...days(31, { bytes: 2 * MB }), april])).toEqual([['closed month', days(31, { bytes: 1 }).map(({ key }) => key)]])
    expect(groups([file('march', MARCH, APRIL - 1, { bytes: 62 * MB }), april])).toEqual([])
  })

  test('a closed month of big days too, for they overlap each other; files of whole months stay', () => {
    const april = file('april', APRIL, APRIL)
    const big = days(31, { bytes: 80 * MB })
    expect(groups([...big, april])).toEqual([['closed month', big.map(({ key }) => key)]])
    const sorted = Array.from({ length: 12 }, (_, at) => file(`${at}`, MARCH + at, APRIL - 1 - at, { bytes: 128 * MB }))
    expect(groups([...sorted, april])).toEqual([])
    expect(groups([...sorted, file('late', MARCH + DAY, MARCH + DAY, { bytes: 5000 }), april])).toEqual([])
  })

  test('a file without bounds of time is left alone', () => {
    const blind = { ...file('blind', MARCH, MARCH), metrics: new Map() }
    expect(groups([blind, file('a', MARCH, MARCH), file('b', MARCH, MARCH), file('c', MARCH + DAY, MARCH + DAY)])).toEqual([
      ['closed day', ['a', 'b']],
    ])
  })

  test('rows of the future close no month and no day that is landed in', () => {
    const files = [
      file('first', MARCH, MARCH),
      file('second', MARCH + 5 * MINUTE, MARCH + 5 * MINUTE),
      file('forecast', MARCH + 60 * DAY, MARCH + 60 * DAY),
    ]
    expect(groups(files)).toEqual([['closed month', ['first', 'second']]])
    expect(compactionGroups(trafficReadings, files, { timeId: TIME, now: MARCH + 10 * MINUTE })).toEqual([])
  })

  test('a day of 5-minute landings never has more than 5 files, and is written less than 10 times over by 70 merges', () => {
    let files: LiveFile[] = []
    let written = 0
    let merges = 0
    for (let landing = 0; landing < 288; landing++) {
      const at = MARCH + landing * 5 * MINUTE
      files.push(file(`landing ${landing}`, at, at))
      for (const group of compactionGroups(trafficReadings, files, { timeId: TIME, now: Number.POSITIVE_INFINITY })) {
        const rows = group.files.reduce((sum, one) => sum + one.rows, 0)
        written += rows
        merges++
        const first = group.files[0] as LiveFile
        files = [...files.filter((one) => !group.files.includes(one)), { ...first, key: `merge ${merges}`, rows }]
      }
      expect(files.length).toBeLessThanOrEqual(5)
    }
    expect(files.reduce((sum, { rows }) => sum + rows, 0)).toBe(288_000)
    expect(merges).toBeLessThanOrEqual(70)
    expect(written / 288_000).toBeLessThan(10)
  })
})
