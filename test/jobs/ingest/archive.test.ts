import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Archive, batch, defineFeed, type Feed, FormatError } from '../../../jobs/feeds/define.ts'
import { listFiles } from '../../../jobs/ingest/archive.ts'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { backfill, makeHistoryFiller } from '../../../jobs/ingest/history.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { acceptedAfter, rejectedIds } from '../../../lake/raw/archive.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineDataset, identity } from '../../../lake/schema/dataset.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'

const never = new AbortController().signal
const ALL = { from: '0001-01-01', to: '9999-12-31' }
const HOST = 'https://publisher.example'

const counts = defineDataset({
  id: 'little_counts',
  domain: 'road',
  title: 'Counts of a little archive',
  about: 'Counts by month.',
  sources: [dgt],
  columns: {
    month: col.string(1, 'Month of the file.'),
    place: col.string(2, 'Place.'),
    count: col.string(3, 'Count.'),
    starts_at: col.instant(4, 'Begin of the month.'),
  },
  entity: ['month', 'place'],
  version: 'month',
  time: 'starts_at',
  writeMode: 'replace',
  partition: [identity('month')],
  order: ['month', 'place'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})

const request = { name: 'month', url: `${HOST}/2024-01`, accept: 'text/csv', expects: 'csv' } as const
const limits = { maxBytes: 10_000, maxDecodedBytes: 10_000, timeout_ms: 5000 }

const archive: Feed = defineFeed({
  id: 'little_archive',
  source: dgt,
  into: [counts],
  every_s: 3600,
  plans: [{ requests: [{ ...request, ...limits }] }],
  archive: {
    unit: 'month',
    index: [{ ...request, ...limits, name: 'list', url: `${HOST}/list` }],
    files: (index) =>
      index.flatMap(({ bytes }) => {
        if (!bytes.toString().startsWith('files')) throw new FormatError('this is no list')
        return bytes
          .toString()
          .split('\n')
          .slice(1)
          .map((period) => ({ period, url: `${HOST}/${period}` }))
      }),
    recent: 2,
  },
  freshBy: 'fetch',
  bands: { little_counts: { atLeast: 1, minRatio: 0.8, maxRatio: 1.2 } },
  *rows(bodies) {
    for (const { name, bytes } of bodies)
      yield batch(
        counts,
        bytes
          .toString()
          .split('\n')
          .map((line) => line.split('='))
          .map(([place = '', count = '']) => ({ month: name, place, count, starts_at: Date.parse(`${name}-01`) })),
      )
  },
})

let redis: TestRedis
let context: TestContext
let runner: Runner
let close: () => Promise<void>
/** The publisher's files by period, and statuses that it answers in their place. */
const files = new Map<string, string>()
const statuses = new Map<string, number>()
/** Tags that do not follow from the text. */
const tags = new Map<string, string>()
const asked: string[] = []

beforeEach(async () => {
  for (const one of [files, statuses, tags]) one.clear()
  asked.length = 0
  redis = await startTestRedis()
  const server = createServer((incoming, response) => {
    const name = String(incoming.url).slice(1)
    asked.push(name)
    const text = name === 'list' ? ['files', ...files.keys()].join('\n') : files.get(name)
    const status = statuses.get(name) ?? (text === undefined ? 404 : 200)
    const etag = tags.get(name) ?? `"${Buffer.from(text ?? '').toString('base64')}"`
    if (status !== 200) return void response.writeHead(status).end()
    if (incoming.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end()
    response.writeHead(200, { 'content-type': 'text/csv', etag }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context = await openTestContext({
    folder: tempFolder(),
    redisUrl: redis.url,
    publisher: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
  runner = makeRunner(context)
  close = async () => {
    await context.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await redis.stop()
  }
})
afterEach(() => close())

const monthOf = (places: number, count = '1'): string => Array.from({ length: places }, (_, at) => `p${at}=${count}`).join('\n')
const take = (period: string) => runner.takeFile(archive, { period, url: `${HOST}/${period}` }, never)
const rowCounts = async (): Promise<Record<string, number>> => {
  const rows = await tableRows(context, counts)
  return Object.fromEntries(
    [...new Set(rows.map(({ month }) => month))].map((month) => [month, rows.filter((row) => row.month === month).length]),
  )
}
const fill = async (jobs = 3) => {
  const { files: listed, gaps } = await listFiles(context, archive, { range: ALL, signal: never })
  const there = await runner.acceptedPeriods(archive)
  const wanted = listed.filter(({ period }) => !there.has(period))
  const done = await backfill(runner, { feed: archive, files: wanted, jobs, signal: never, land: () => runner.land(archive, never) })
  return { gaps, done: done.map(({ file, outcome }) => `${file.period} ${outcome?.outcome ?? 'none'}`).sort() }
}

describe('an archive', () => {
  test('is known to a new process without reading its log again', async () => {
    const periods = Array.from({ length: 30 }, (_, at) => `20${10 + at}-01`)
    for (const period of periods) {
      files.set(period, monthOf(2))
      await take(period)
    }
    await runner.land(archive, never)
    const { store } = context
    const read: string[] = []
    const get: typeof store.get = (key, range) => {
      if (key.startsWith('raw/')) read.push(key)
      return store.get(key, range)
    }
    runner = makeRunner({ ...context, store: { ...store, get } })
    expect([...(await runner.acceptedPeriods(archive))].sort()).toEqual(periods)
    expect(read.length).toBeLessThan(periods.length / 2)
    // What was withdrawn or came later counts as ever.
    const [first] = await acceptedAfter(store, archive.id, 0)
    await runner.withdraw(archive, first?.fetch_id as string, () => runner.land(archive, never))
    files.set('2050-01', monthOf(2))
    await take('2050-01')
    runner = makeRunner(context)
    expect([...(await runner.acceptedPeriods(archive))].sort()).toEqual([...periods.slice(1), '2050-01'])
  })

  test('is taken file by file, each a fetch with its period, in whatever order', async () => {
    for (const [period, places] of [
      ['2024-03', 3],
      ['2024-01', 100],
      ['2024-02', 20],
    ] as const) {
      files.set(period, monthOf(places))
      // A month is no publication that follows another: it may have any number of rows beside it.
      expect(await take(period)).toMatchObject({ outcome: 'accepted', rows: { little_counts: places } })
    }
    await runner.land(archive, never)
    expect(await rowCounts()).toEqual({ '2024-01': 100, '2024-02': 20, '2024-03': 3 })
    const fetches = await acceptedAfter(context.store, archive.id, 0)
    expect(fetches.map(({ period, bodies }) => [period, bodies.map(({ name }) => name)])).toEqual([
      ['2024-03', ['2024-03']],
      ['2024-01', ['2024-01']],
      ['2024-02', ['2024-02']],
    ])
    expect(await rebuild(context, { feed: archive, dataset: counts, from: 0, to: null })).toEqual({ fetches: 3, removed: 0, added: 0 })
  })

  test('gives a corrected file the place of its period; the same again, or with too few rows, changes nothing', async () => {
    files.set('2024-01', monthOf(10)).set('2024-02', monthOf(100))
    await take('2024-01')
    await take('2024-02')
    expect([await take('2024-01'), await take('2024-02')]).toMatchObject([{ outcome: 'unchanged' }, { outcome: 'unchanged' }])
    files.set('2024-01', monthOf(9, '2'))
    expect(await take('2024-01')).toMatchObject({ outcome: 'accepted' })
    files.set('2024-02', monthOf(9))
    const refused = { outcome: 'rejected', reason: expect.stringContaining('9 rows after 100') }
    expect([await take('2024-02'), await take('2024-02')]).toMatchObject([refused, refused])
    await runner.land(archive, never)
    expect(await rowCounts()).toEqual({ '2024-01': 9, '2024-02': 100 })
    expect(new Set((await tableRows(context, counts)).map(({ month, count }) => `${month} ${count}`))).toEqual(
      new Set(['2024-01 2', '2024-02 1']),
    )
    // The refused bytes are kept once, with their period, and can be accepted by hand.
    const waiting = await rejectedIds(context.store, archive.id)
    expect(waiting).toHaveLength(1)
    expect(await runner.accept(archive, waiting[0] as string)).toMatchObject({ period: '2024-02' })
    await runner.land(archive, never)
    expect(await rowCounts()).toEqual({ '2024-01': 9, '2024-02': 9 })
  })

  test('a file that another address offers for a period is not asked for with the tag of the former one', async () => {
    tags.set('2024-01', '"1"').set('2024-01-corrected', '"1"')
    files.set('2024-01', monthOf(5)).set('2024-01-corrected', monthOf(5, '2'))
    await take('2024-01')
    expect(await take('2024-01')).toMatchObject({ outcome: 'unchanged' })
    const corrected = { period: '2024-01', url: `${HOST}/2024-01-corrected` }
    expect(await runner.takeFile(archive, corrected, never)).toMatchObject({ outcome: 'accepted' })
    expect(await runner.takeFile(archive, corrected, never)).toMatchObject({ outcome: 'unchanged' })
  })

  test('remembers its files over a restart, and none that was withdrawn', async () => {
    for (const period of ['2024-01', '2024-02', '2024-03']) await take(files.set(period, monthOf(5)) && period)
    const other = makeRunner(context)
    expect([...(await other.acceptedPeriods(archive))].sort()).toEqual(['2024-01', '2024-02', '2024-03'])
    files.set('2024-04', monthOf(5))
    expect(await other.takeFile(archive, { period: '2024-04', url: `${HOST}/2024-04` }, never)).toMatchObject({ outcome: 'accepted' })
    expect(await runner.acceptedPeriods(archive)).toContain('2024-04')
    expect(await take('2024-04')).toMatchObject({ outcome: 'unchanged' })
    expect(
      await runner.withdraw(archive, (await acceptedAfter(context.store, archive.id, 3))[0]?.fetch_id as string, () =>
        runner.land(archive, never),
      ),
    ).toBe(true)
    expect(await runner.acceptedPeriods(archive)).not.toContain('2024-04')
    expect(await rowCounts()).toEqual({ '2024-01': 5, '2024-02': 5, '2024-03': 5 })
  })

  test('looks in its cadence at the newest files, and reports it as any feed does', async () => {
    expect(await runner.fetch(archive, never)).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('none of the files') })
    for (const period of ['2024-01', '2024-02', '2024-04', '2099-01']) files.set(period, monthOf(5))
    expect(await runner.fetch(archive, never)).toMatchObject({ outcome: 'accepted' })
    expect([...(await runner.acceptedPeriods(archive))].sort()).toEqual(['2024-02', '2024-04'])
    expect(await runner.fetch(archive, never)).toMatchObject({ outcome: 'unchanged', reason: 'not modified' })
    expect((await readFeedStates(context.redis)).get(archive.id)).toMatchObject({ last_error: null, rows: { little_counts: 5 } })
    statuses.set('2024-02', 403)
    expect(await runner.fetch(archive, never)).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('403') })
    statuses.set('list', 500)
    expect(await runner.fetch(archive, never)).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('500') })
    expect((await readFeedStates(context.redis)).get(archive.id)).toMatchObject({ last_error: expect.stringContaining('500') })
  })
})

describe('an archive whose files come in pages', () => {
  /**
   * Pages are `2024-01`, `2024-01/2` and so on. The suffix `more` marks a page before the last, the prefix `error` a failing one.
   */
  const paged: Feed = defineFeed({
    ...archive,
    archive: {
      ...(archive.archive as Archive),
      next: ({ bytes }, url) => {
        const [, page = '1'] = /[0-9]\/(\d+)$/.exec(url) ?? []
        if (bytes.toString().startsWith('odd')) throw new FormatError('this is no page')
        if (bytes.toString().startsWith('error')) return { refused: 'no such service', retryable: false, status: 404 }
        return bytes.toString().endsWith('more') ? { url: `${url.replace(/([0-9])\/\d+$/, '$1')}/${Number(page) + 1}` } : null
      },
    },
    *rows(bodies) {
      for (const { name, bytes } of bodies)
        for (const place of bytes.toString().replace('more', '').trim().split('\n'))
          yield batch(counts, [{ month: name.slice(0, 7), place, count: '1', starts_at: Date.parse(`${name.slice(0, 7)}-01`) }])
    },
  })
  const takePaged = () => runner.takeFile(paged, { period: '2024-01', url: `${HOST}/2024-01` }, never)

  test('is taken with all of them as one fetch; without one of them it is incomplete', async () => {
    files.set('2024-01', 'a\nb\nmore').set('2024-01/2', 'c\nmore')
    expect(await takePaged()).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('2024-01/3 answered 404') })
    files.set('2024-01/3', 'd')
    expect(await takePaged()).toMatchObject({ outcome: 'accepted', rows: { little_counts: 4 } })
    const [fetched] = await acceptedAfter(context.store, paged.id, 0)
    expect(fetched?.bodies.map(({ name }) => name)).toEqual(['2024-01', '2024-01.2', '2024-01.3'])
    // The first page is the same: the pages after it may differ.
    expect(await takePaged()).toMatchObject({ outcome: 'unchanged', reason: 'same bytes' })
    files.set('2024-01/3', 'e')
    expect(await takePaged()).toMatchObject({ outcome: 'accepted' })
    await runner.land(paged, never)
    expect((await tableRows(context, counts)).map(({ place }) => place).sort()).toEqual(['a', 'b', 'c', 'e'])
    expect(await rebuild(context, { feed: paged, dataset: counts, from: 0, to: null })).toEqual({ fetches: 2, removed: 0, added: 0 })
  })

  test('is missing at the publisher where its first page says so, and a failure where another does or is no page', async () => {
    files.set('2024-01', 'error')
    expect(await takePaged()).toBeNull()
    files.set('2024-01', 'a\nmore').set('2024-01/2', 'error')
    expect(await takePaged()).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('no such service') })
    files.set('2024-01/2', 'odd')
    expect(await takePaged()).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('this is no page') })
  })
})

describe('a backfill', () => {
  test('takes the missing months, distinguishes gaps from failures, and requests both again', async () => {
    for (const period of ['2024-01', '2024-02', '2024-04', '2024-05', '2024-06']) files.set(period, monthOf(5))
    statuses.set('2024-02', 403).set('2024-05', 404)
    expect(await fill()).toEqual({
      gaps: ['2024-03'],
      done: ['2024-01 accepted', '2024-02 failed', '2024-04 accepted', '2024-05 none', '2024-06 accepted'],
    })
    expect(await rowCounts()).toEqual({ '2024-01': 5, '2024-04': 5, '2024-06': 5 })
    statuses.clear()
    files.set('2024-03', monthOf(7))
    asked.length = 0
    expect(await fill()).toEqual({ gaps: [], done: ['2024-02 accepted', '2024-03 accepted', '2024-05 accepted'] })
    expect(asked.sort()).toEqual(['2024-02', '2024-03', '2024-05', 'list'])
    expect(await rowCounts()).toEqual({ '2024-01': 5, '2024-02': 5, '2024-03': 7, '2024-04': 5, '2024-05': 5, '2024-06': 5 })
    expect((await fill()).done).toEqual([])
    expect(await landedIn(context, counts, archive.id)).toMatchObject({ seqs: [[1, 6]], lost: [], rebuilds: 0 })
  })

  test('stops where landing fails, and goes on where it was', async () => {
    for (const period of ['2024-01', '2024-02', '2024-03', '2024-04']) files.set(period, monthOf(5))
    const { files: listed } = await listFiles(context, archive, { range: ALL, signal: never })
    const land = () => Promise.reject(new Error('the disk is full'))
    await expect(backfill(runner, { feed: archive, files: listed, jobs: 1, signal: never, land })).rejects.toThrow('disk is full')
    expect(await runner.acceptedPeriods(archive)).toEqual(new Set(['2024-01']))
    expect((await fill()).done).toEqual(['2024-02 accepted', '2024-03 accepted', '2024-04 accepted'])
    expect(await rowCounts()).toEqual({ '2024-01': 5, '2024-02': 5, '2024-03': 5, '2024-04': 5 })
  })
})

describe("an archive's data of the time before a service began", () => {
  const old: Feed = defineFeed({ ...archive, archive: { ...(archive.archive as Archive), recent: 1, history: 4 } })
  const steps: string[] = []
  let now = Date.now()
  const filler = () =>
    makeHistoryFiller({ ...context, now: () => now } satisfies IngestContext, {
      isOwned: () => true,
      runner,
      feeds: [old, { ...archive, id: 'another' }],
      land: (feed, signal) => runner.land(feed, signal),
      derive: async (feed) => void steps.push(`derived ${feed.id}`),
    })
  const progress = async () => (await readFeedStates(context.redis)).get(old.id)?.backfill

  beforeEach(() => {
    steps.length = 0
  })

  test('is fetched in the background, the newest files first, with its progress in the freshness of the feed', async () => {
    for (const period of ['2024-01', '2024-02', '2024-03', '2024-04', '2024-05', '2024-06']) files.set(period, monthOf(5))
    statuses.set('2024-04', 404)
    await runner.fetch(old, never)
    expect(await progress()).toBeNull()
    asked.length = 0
    const history = filler()
    expect(await history.fill(never)).toBe(true)
    expect(asked).toEqual(['list', '2024-05', '2024-04', '2024-03'])
    expect(await rowCounts()).toEqual({ '2024-03': 5, '2024-05': 5, '2024-06': 5 })
    expect([await progress(), steps]).toEqual([{ files: 3, present: 3 }, ['derived little_archive']])
    // The report of a later look at the newest file keeps it, and nothing is requested again.
    await runner.fetch(old, never)
    asked.length = 0
    expect(await history.fill(never)).toBe(true)
    expect([asked, await progress()]).toEqual([[], { files: 3, present: 3 }])
  })

  test('is requested again where a file or the list failed, and in the next process only where something is missing', async () => {
    for (const period of ['2024-01', '2024-02', '2024-03']) files.set(period, monthOf(5))
    await runner.fetch(old, never)
    const history = filler()
    statuses.set('list', 500)
    expect(await history.fill(never)).toBe(false)
    statuses.clear()
    statuses.set('2024-01', 403)
    now += 60_000
    expect(await history.fill(never)).toBe(false)
    expect(await progress()).toEqual({ files: 3, present: 2 })
    statuses.clear()
    // The wait has doubled.
    now += 60_000
    asked.length = 0
    expect(await history.fill(never)).toBe(false)
    expect(asked).toEqual([])
    now += 60_000
    expect(await history.fill(never)).toBe(true)
    expect(await progress()).toEqual({ files: 3, present: 3 })
    asked.length = 0
    expect(await filler().fill(never)).toBe(true)
    expect(asked).toEqual(['list'])
  })
})
