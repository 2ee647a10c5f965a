import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hourObject, type Minute, type MinuteRecord, minuteObject, readMinutes } from '../../../lake/minutes/objects.ts'
import { type MinuteWriter, type MinuteWriterOptions, openMinuteWriter } from '../../../lake/minutes/writer.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOON = Date.UTC(2026, 10, 22, 12)

const record: MinuteRecord<number> = { root: 'counts/', encode: (row) => row, decode: (plain) => plain as number }

/** A process that counts, by a clock that tests set. */
interface Stage {
  readonly store: ObjectStore
  readonly writer: MinuteWriter<number>
  readonly time: { now: number }
  readonly errors: string[]
  readonly lost: Minute<number>[]
  count(...rows: readonly number[]): void
  /** Rows of the record, by minute. */
  read(store?: ObjectStore): Promise<Minute<number>[]>
  names(): Promise<string[]>
}

async function stage(
  options: Partial<MinuteWriterOptions<number>> & { readonly of?: (store: ObjectStore) => ObjectStore } = {},
): Promise<Stage> {
  const { of = (one) => one, ...more } = options
  const files = await fileStore(join(tempFolder(), 'store'))
  const time = { now: NOON }
  let counted: number[] = []
  const [errors, lost]: [string[], Minute<number>[]] = [[], []]
  const writer = openMinuteWriter<number>({
    ...{ store: of(files), record, clock: () => time.now, every_ms: null },
    rows: () => counted,
    clear: () => {
      counted = []
    },
    onError: ({ message }) => void errors.push(message),
    onLost: (minutes) => void lost.push(...minutes),
    ...more,
  })
  onTestFinished(() => writer.close())
  return {
    ...{ store: files, writer, time, errors, lost },
    count: (...rows) => {
      writer.advance()
      counted.push(...rows)
    },
    read: async (store = files) => {
      const parts = await readMinutes(store, record, { from: NOON - HOUR, to: NOON + 2 * HOUR, take: ({ minutes }) => minutes })
      return [...parts.values()].flat().sort((one, other) => one.minute_s - other.minute_s)
    },
    names: async () => {
      const names: string[] = []
      for await (const { key } of files.list('counts/')) names.push(key)
      return names
    },
  }
}

const minute = (at: number, ...rows: readonly number[]): Minute<number> => ({ minute_s: (NOON + at * MINUTE) / 1000, rows })

test('an hour that is gathered while it is looked for is read all the same, once', async () => {
  const set = await stage()
  for (const row of [1, 2, 3]) {
    set.count(row)
    set.time.now += MINUTE
    await set.writer.flush()
  }
  const whole = [minute(0, 1), minute(1, 2), minute(2, 3)]
  expect(await set.read()).toEqual(whole)
  const minutes = [0, 60, 120].map((s) => minuteObject(record, set.writer.mark, NOON / 1000 + s))
  expect(await set.names()).toEqual(minutes)
  let lists = 0
  const between: ObjectStore = {
    ...set.store,
    get: (name) => set.store.get(name),
    async *list(prefix, options) {
      // Between the two lists that are looked at.
      if (lists++ === 1) {
        set.time.now += HOUR
        await set.writer.flush()
      }
      yield* set.store.list(prefix, options)
    },
  }
  expect(await set.read(between)).toEqual(whole)
  expect([lists >= 2, await set.names()]).toEqual([true, [hourObject(record, set.writer.mark, NOON)]])
  expect(await set.read()).toEqual(whole)
})

test('the newest minute is kept, however many rows it has; older ones are given up where there are more than may wait', async () => {
  const set = await stage({ mostRows: 3 })
  set.count(1, 2, 3, 4, 5)
  set.time.now += MINUTE
  set.writer.advance()
  expect([set.writer.pending(), set.lost]).toEqual([[minute(0, 1, 2, 3, 4, 5)], []])
  set.count(6)
  set.time.now += MINUTE
  set.writer.advance()
  expect([set.writer.pending(), set.lost]).toEqual([[minute(1, 6)], [minute(0, 1, 2, 3, 4, 5)]])
  await set.writer.close()
  expect(await set.read()).toEqual([minute(1, 6)])
})

test('minutes that cannot be written at the close are tried once more, and then given up', async () => {
  for (const [failures, isLost] of [
    [1, false],
    [2, true],
  ] as const) {
    let left = failures
    const of = (store: ObjectStore): ObjectStore => ({
      ...store,
      putIfAbsent: (name, body) => (left-- > 0 ? Promise.reject(new Error('away')) : store.putIfAbsent(name, body)),
    })
    const set = await stage({ of })
    set.count(7)
    await set.writer.close()
    expect(set.errors).toEqual(Array(failures).fill('away'))
    expect([await set.read(), set.lost]).toEqual(isLost ? [[], [minute(0, 7)]] : [[minute(0, 7)], []])
  }
})
