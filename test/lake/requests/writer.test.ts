import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { firstHour, logBefore, logObject, type RequestMinute, readLog } from '../../../lake/requests/log.ts'
import { type LogWriter, type LogWriterOptions, openLogWriter } from '../../../lake/requests/writer.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOON = Date.UTC(2026, 10, 22, 12)
const ALL = { from: 0, to: Number.POSITIVE_INFINITY }

/** A process that counts requests to a path, by a clock that tests set. */
interface Stage {
  readonly store: ObjectStore
  readonly writer: LogWriter
  readonly time: { now: number }
  readonly errors: string[]
  readonly lost: RequestMinute[]
  count(requests: number): void
  /** Requests by minute. */
  read(): Promise<(readonly [minute_s: number, requests: number])[]>
}

async function stage(
  options: Partial<LogWriterOptions> & { readonly of?: (store: ObjectStore) => ObjectStore; readonly path?: string } = {},
): Promise<Stage> {
  const { of = (one) => one, path = '/a', ...more } = options
  const files = await fileStore(join(tempFolder(), 'store'))
  const time = { now: NOON }
  let answered = 0
  const none = { not_modified: 0, client_error: 0, limited: 0, server_error: 0, day_units: 0 }
  const [errors, lost]: [string[], RequestMinute[]] = [[], []]
  const writer = openLogWriter({
    ...{ store: of(files), clock: () => time.now, every_ms: null },
    rows: () => ({ usage: answered > 0 ? [{ key: null, slot: null, plan: null, path, answered, ...none }] : [], groups: [] }),
    clear: () => {
      answered = 0
    },
    onError: ({ message }) => void errors.push(message),
    onLost: (minutes) => void lost.push(...minutes),
    ...more,
  })
  onTestFinished(() => writer.close())
  return {
    ...{ store: files, writer, time, errors, lost },
    count: (requests) => {
      writer.advance()
      answered += requests
    },
    read: async () => {
      const parts = await readLog(files, { ...ALL, take: ({ minutes }) => minutes })
      return [...parts.values()].flat().map(counted).sort()
    },
  }
}

const counted = ({ minute_s, usage }: RequestMinute) => [minute_s, usage.reduce((sum, { answered }) => sum + answered, 0)] as const
const at = (minute: number, requests: number) => [(NOON + minute * MINUTE) / 1000, requests] as const
const failing =
  (isAway: () => boolean) =>
  (store: ObjectStore): ObjectStore => ({
    ...store,
    put: (name, body) => (isAway() ? Promise.reject(new Error('away')) : store.put(name, body)),
  })

test('an hour is one object that grows, and the next another', async () => {
  const set = await stage()
  for (let minute = 0; minute < 61; minute++) {
    set.count(minute + 1)
    set.time.now += MINUTE
    await set.writer.flush()
    expect((await set.read()).length).toBe(minute + 1)
  }
  expect(await set.read()).toEqual(Array.from({ length: 61 }, (_, minute) => at(minute, minute + 1)))
  const hours = [logObject(set.writer.mark, 1, NOON), logObject(set.writer.mark, 2, NOON + HOUR)]
  expect(await logBefore(set.store, Number.POSITIVE_INFINITY)).toEqual(hours)
  expect([await logBefore(set.store, NOON + HOUR), await firstHour(set.store, 0), await firstHour(set.store, NOON + HOUR)]).toEqual([
    hours.slice(0, 1),
    NOON,
    NOON + HOUR,
  ])
})

test('an object that is large is left as it is, and readers read no object twice', async () => {
  const set = await stage({ path: `/${'a'.repeat(200_000)}` })
  let known: Map<string, number> = new Map()
  let reads = 0
  const take = (): number => ++reads
  for (let minute = 0; minute < 7; minute++) {
    set.count(1)
    set.time.now += MINUTE
    await set.writer.flush()
    known = await readLog(set.store, { ...ALL, known, take })
  }
  expect(await logBefore(set.store, Number.POSITIVE_INFINITY)).toEqual([1, 2, 3].map((n) => logObject(set.writer.mark, n, NOON)))
  expect([(await set.read()).length, reads, known.size]).toEqual([7, 7, 3])
  await readLog(set.store, { ...ALL, known, take })
  expect(reads).toBe(7)
})

test('an hour to which the clock returns later is another object', async () => {
  const set = await stage()
  for (const [hours, requests] of [
    [1, 5],
    [-1, 7],
    [0, 9],
  ] as const) {
    set.count(requests)
    set.time.now += MINUTE
    await set.writer.flush()
    set.time.now += hours * HOUR
  }
  await set.writer.close()
  expect((await set.read()).filter(([, requests]) => requests > 0).map(([, requests]) => requests)).toEqual([5, 9, 7])
})

test('minutes wait while the store is away; beyond the limit of memory the oldest objects are dropped', async () => {
  let isAway = true
  const set = await stage({ of: failing(() => isAway), mostChars: 1_300_000, path: `/${'a'.repeat(300_000)}` })
  for (let minute = 0; minute < 6; minute++) {
    set.count(minute + 1)
    set.time.now += MINUTE
    await set.writer.flush()
  }
  expect(set.lost.map(counted)).toEqual([at(0, 1), at(1, 2)])
  isAway = false
  await set.writer.close()
  expect(await set.read()).toEqual([at(2, 3), at(3, 4), at(4, 5), at(5, 6), at(6, 0)])
})

test('minutes that cannot be written at the close are tried once more, and then given up', async () => {
  for (const [failures, isLost] of [
    [1, false],
    [2, true],
  ] as const) {
    let left = failures
    const set = await stage({ of: failing(() => left-- > 0) })
    set.count(7)
    await set.writer.close()
    expect(set.errors).toEqual(Array(failures).fill('away'))
    expect([await set.read(), set.lost.map(counted)]).toEqual(isLost ? [[], [at(0, 7)]] : [[at(0, 7)], []])
  }
})
