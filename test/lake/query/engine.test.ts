import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engine, type Limits, openEngine } from '../../../lake/query/engine.ts'
import { isQueryError } from '../../../lake/query/errors.ts'
import type { Session } from '../../../lake/query/session.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'
import { until } from '../../helpers/until.ts'
import { SOMETIMES_INTERNAL } from './fixtures.ts'

const folder = tempFolder()
const spool = join(folder, 'spool')
let engine: Engine

beforeAll(async () => {
  engine = await openEngine({ folders: [folder], spool, memory: 300e6, spill: 2e9, threads: 2, slots: 2, queue: 1 })
})
afterAll(() => engine.close())

const ENDLESS = sql`SELECT sum(a.i * b.i) FROM range(1000000) a(i), range(1000000) b(i)`

async function ask(query: Sql, limits: Limits = {}): Promise<unknown[][]> {
  return engine.use(limits, null, async (session) => {
    const answer = await session.select(query)
    const rows: unknown[][] = []
    for (let chunk = await answer.next(); chunk; chunk = await answer.next()) rows.push(...chunk.getRows())
    return rows
  })
}

async function idle(): Promise<void> {
  while (engine.load.taken > 0) await sleep(5)
}

const LONG: [name: string, query: Sql][] = [
  ['a join', ENDLESS],
  ['a sort that spills', sql`SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY hash(i)::VARCHAR) AS n FROM range(100000000) t(i))`],
  ['a recursion', sql`WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1000000000) SELECT max(n) FROM r`],
  ['an aggregate', sql`SELECT count(DISTINCT a.i || 'x' || b.i) FROM range(100000) a(i), range(100000) b(i)`],
  ['many rows', sql`SELECT a.i + b.i FROM range(1000000) a(i), range(1000000) b(i)`],
  ['one vector of long lists', sql`SELECT list_sum(list_transform(range(40000000), lambda x: x * 2)) FROM range(10)`],
]
test.each(LONG)('%s is stopped within a second of its time limit', async (_, query) => {
  const started = performance.now()
  await expect(ask(query, { timeout_ms: 300 })).rejects.toMatchObject({ code: 'timeout', message: 'no result within 300 ms' })
  expect(performance.now() - started).toBeLessThan(1300)
  await idle()
  expect(await ask(sql`SELECT 1`)).toEqual([[1]])
})

test('files are taken to be immutable, so that a query does not check each in the store', async () => {
  expect(await ask(sql`SELECT value FROM duckdb_settings() WHERE name = 'validate_external_file_cache'`)).toEqual([['NO_VALIDATION']])
})

test('folders of processes that ended are removed at the next start, those of living ones are not', async () => {
  const own = tempFolder()
  const [dead, living] = [`duckdb-${2 ** 22 + 1}-abc`, `duckdb-${process.pid}-abc`]
  for (const name of [dead, living]) mkdirSync(join(own, name, 'spill'), { recursive: true })
  const other = await openEngine({ folders: [own], spool: own, memory: 300e6, spill: 1e9, threads: 1, slots: 1, queue: 1 })
  expect([existsSync(join(own, dead)), existsSync(join(own, living))]).toEqual([false, true])
  await other.close()
})

test('a disconnect stops the query', async () => {
  const controller = new AbortController()
  const running = ask(ENDLESS, { signal: controller.signal })
  setTimeout(() => controller.abort(), 50)
  await expect(running).rejects.toMatchObject({ code: 'aborted' })
  await expect(ask(sql`SELECT 1`, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
  await idle()
})

test('slots are bounded: beyond the queue a query is refused at once, and a waiting one gets its turn', async () => {
  const stop = new AbortController()
  const running = [1, 2].map(() => ask(ENDLESS, { signal: stop.signal }))
  const waiting = ask(sql`SELECT 42`)
  await until('two that run and one that waits', () => engine.load.taken === 2 && engine.load.waiting === 1)
  // Nothing ends before the refusal: it does not wait.
  await expect(ask(sql`SELECT 1`)).rejects.toMatchObject({ code: 'busy' })
  expect(engine.load).toEqual({ taken: 2, waiting: 1 })
  stop.abort()
  const ends = await Promise.allSettled(running)
  expect(ends.map((end) => end.status === 'rejected' && isQueryError(end.reason, 'aborted'))).toEqual([true, true])
  expect(await waiting).toEqual([[42]])
})

test('waiting counts towards the time limit, and leaves the queue', async () => {
  const running = [1, 2].map(() => ask(ENDLESS, { timeout_ms: 500 }))
  await sleep(20)
  await expect(ask(sql`SELECT 1`, { timeout_ms: 50 })).rejects.toMatchObject({ code: 'timeout' })
  expect(engine.load.waiting).toBe(0)
  await Promise.allSettled(running)
  await idle()
})

test('queries of one answer share a time limit, and the error states the whole of it', async () => {
  const since = performance.now() - 29_900
  const late = { code: 'timeout', message: 'no result within 30000 ms', timeout_ms: 30_000 }
  await expect(ask(ENDLESS, { timeout_ms: 30_000, since })).rejects.toMatchObject(late)
  expect(performance.now() - since).toBeLessThan(31_000)
  await idle()
})

test('an error of the engine is reported with its cause, and frees the slot', async () => {
  const failed = ask(sql`SELECT * FROM nothing`)
  await expect(failed).rejects.toMatchObject({ name: 'QueryError', code: 'failed' })
  await expect(failed).rejects.toThrow(/nothing/)
  expect(engine.load.taken).toBe(0)
})

deepTest('memory is bounded: larger data spills, and beyond the spill limit fails', async () => {
  const sorted = sql`CREATE TEMP TABLE t AS SELECT md5(i::VARCHAR) || md5((-i)::VARCHAR) AS s FROM range(2000000) t(i) ORDER BY s`
  const count = async (spill: number): Promise<unknown> => {
    const small = await openEngine({ folders: [folder], spool, memory: 80e6, spill, threads: 1, slots: 1, queue: 1 })
    try {
      return await small.use({}, null, async (session) => {
        await session.run(sorted)
        return session.values(sql`SELECT count(*) FROM t`)
      })
    } finally {
      await small.close()
    }
  }
  expect(await count(1e9)).toEqual([[2_000_000n]])
  await expect(count(20e6)).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringMatching(/Out of Memory|max_temp_directory_size/),
  })
})

test('sessions share nothing', async () => {
  await engine.use({}, null, async (session) => {
    await session.run(sql`CREATE TEMP TABLE mine AS SELECT 1 AS a`)
    await expect(ask(sql`SELECT * FROM mine`)).rejects.toThrow(/mine/)
  })
})

test('closing stops running queries and removes the scratch folder', async () => {
  const other = await openEngine({ folders: [folder], spool, memory: 100e6, spill: 1e9, threads: 1, slots: 1, queue: 1 })
  expect(existsSync(other.folder)).toBe(true)
  const running = other.use({}, null, (session) => session.values(ENDLESS))
  const waiting = other.use({}, null, (session) => session.values(sql`SELECT 1`))
  await sleep(50)
  const ends = Promise.allSettled([running, waiting])
  await other.close()
  expect((await ends).map((end) => end.status === 'rejected' && isQueryError(end.reason, 'closed'))).toEqual([true, true])
  expect(readdirSync(spool)).not.toContain(other.folder.split('/').at(-1))
  await expect(other.use({}, null, (session) => session.values(sql`SELECT 1`))).rejects.toMatchObject({ code: 'closed' })
})

test.skipIf(process.platform !== 'linux')(
  'on Linux the threads that work for queries can stand back behind the one that answers',
  async () => {
    const other = await openEngine({ folders: [folder], spool, memory: 100e6, spill: 1e8, threads: 2, slots: 1, queue: 1, standBack: true })
    const nameOf = (thread: string): string => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
    const working = readdirSync('/proc/self/task').filter((thread) => nameOf(thread) === 'libuv-worker')
    expect(working.length).toBeGreaterThan(0)
    for (const thread of working) expect(getPriority(Number(thread))).toBe(Math.min(19, getPriority() + 10))
    await other.close()
  },
)

deepTest('a database that an internal error has invalidated is replaced; sessions under way end', { timeout: 60_000 }, async () => {
  const own = join(folder, 'invalid')
  mkdirSync(own)
  const other = await openEngine({ folders: [own], spool: own, memory: 300e6, spill: 1e9, threads: 2, slots: 2, queue: 1 })
  const rowsOf = async (session: Session, query: Sql): Promise<unknown> => (await (await session.select(query)).next())?.getRows()
  const failOnce = (session: Session): Promise<never> => rowsOf(session, SOMETIMES_INTERNAL).then(() => failOnce(session))
  const spills = new Set<unknown>()
  try {
    for (let turn = 0; turn < 2; turn++) {
      const held = await other.lease({}, null)
      const [[spill]] = (await rowsOf(held.session, sql`SELECT current_setting('temp_directory')`)) as [[string]]
      spills.add(spill)
      expect(spills.size, 'folders for spilling, one a database').toBe(turn + 1)
      await expect(other.use({}, null, failOnce)).rejects.toMatchObject({
        code: 'failed',
        message: expect.stringContaining('INTERNAL Error'),
      })
      await expect(rowsOf(held.session, sql`SELECT 2`)).rejects.toThrow('invalidated')
      await held.end()
      expect(await other.use({}, null, (session) => rowsOf(session, sql`SELECT 3`))).toEqual([[3]])
      const outside = other.use({}, null, (session) => rowsOf(session, sql`SELECT * FROM read_text('/etc/passwd')`))
      await expect(outside).rejects.toThrow(/permission|disabled/i)
    }
  } finally {
    await other.close()
  }
})

test('a process that reads files once keeps nothing of them in memory', async () => {
  const kept = async (options: { readonly cacheFiles?: boolean }): Promise<unknown> => {
    const own = await openEngine({ ...{ folders: [folder], spool, memory: 300e6, spill: 1e9, threads: 1, slots: 1, queue: 1 }, ...options })
    const path = join(folder, 'once.parquet')
    const [[caches]] = (await own.use({}, null, async (session) => {
      await session.copy(sql`SELECT i FROM range(100000) t(i)`, { path, options: 'FORMAT parquet' })
      await session.values(sql`SELECT sum(i) FROM read_parquet(${path})`)
      return await session.values(sql`SELECT count(*) FROM duckdb_memory() WHERE memory_usage_bytes > 0 AND tag LIKE '%CACHE'`)
    })) as [[bigint]]
    await own.close()
    return Number(caches)
  }
  expect([await kept({ cacheFiles: false }), await kept({})]).toEqual([0, 2])
})
