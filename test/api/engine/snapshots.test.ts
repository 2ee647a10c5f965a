import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { allParams } from '../../../api/engine/request/request.ts'
import { datasetsOf, type Endpoint } from '../../../api/kernel/endpoint.ts'
import { formatsOf } from '../../../api/kernel/formats.ts'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { compactDataset } from '../../../jobs/upkeep/compact.ts'
import { expireSnapshots, removeOrphans } from '../../../lake/iceberg/expire.ts'
import { KEEP_ALL_MS, KEEP_SNAPSHOTS_MS } from '../../../lake/iceberg/retention.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { representatives } from '../representatives.ts'
import { exampleTableRow, feedOf, fillWithExamples, type Reply, startService, type TestService } from '../service.ts'

const DAY_MS = 86_400_000
const named = representatives.filter((endpoint) => allParams(endpoint).has('snapshot'))
const read = [...new Set(named.flatMap((endpoint) => datasetsOf(endpoint)))]
const now = Date.now()

/** A reply's bytes, and its headers except for its age. */
interface Answer {
  readonly body: Buffer
  readonly head: Readonly<Record<string, string | null>>
}

let service: TestService
/** The number of groups of files compacted into one. */
let compacted = 0
/** The earlier replies, by path. */
const before = new Map<string, Answer>()
/** Names of their states, by path of the endpoint. */
const names = new Map<string, string>()

async function answer(path: string): Promise<Answer> {
  const response = await service.get(path)
  const body = Buffer.from(await response.arrayBuffer())
  expect(response.status, `${path} ${body.toString().slice(0, 500)}`).toBe(200)
  const head = ['content-type', 'link', 'last-modified', 'content-language'].map((name) => [name, response.headers.get(name)])
  return { body, head: Object.fromEntries(head) }
}

const withSnapshot = (path: string, name: string): string => `${path}${path.includes('?') ? '&' : '?'}snapshot=${encodeURIComponent(name)}`
/** The link to the next page repeats the request. */
const plain = ({ body, head }: Answer): Answer => ({
  body,
  head: { ...head, link: head['link']?.replaceAll(/&snapshot=[^&>]+/g, '') ?? null },
})

/** The round that lands so much later that the earlier months are closed, and compacted into few files. */
const LATE = 3

/** Three more rows of a dataset, each another observation, later than all others. */
function more(dataset: Dataset, round: number): AnyRow[] {
  const row = exampleTableRow(dataset)
  const time = dataset.columns[dataset.time]
  if (dataset.writeMode === 'replace' || time?.kind !== 'instant') return []
  return [1, 2, 3].map((n) => {
    const at = (row[dataset.time] as number) + (round * 10 + n) * 60_000 + (round === LATE ? 70 * DAY_MS : 0)
    return {
      ...row,
      [dataset.time]: at,
      fetch_id: `${feedOf(dataset)}.${round * 10 + n}`,
      ...(row['updated_at'] === undefined ? {} : { updated_at: at }),
    }
  })
}

async function landMore(round: number): Promise<void> {
  for (const dataset of read) {
    const rows = more(dataset, round)
    if (rows.length > 0) await service.land(dataset, rows, (rows.at(-1)?.[dataset.time] as number) + 3_600_000)
  }
}

/** The example request in every representation, and by pages of one record. */
function requestsOf(endpoint: Endpoint): string[] {
  const formats = formatsOf(endpoint.returns).map((format) => requestOf(endpoint, { format }))
  return endpoint.returns.kind === 'list' ? [...formats, requestOf(endpoint, { limit: '1' })] : formats
}

beforeAll(async () => {
  service = await startService({ clock: () => now })
  await fillWithExamples(service)
  await landMore(1)
  for (const endpoint of named) {
    names.set(endpoint.path, ((await service.json(requestOf(endpoint))) as Reply).meta.snapshot)
    for (const path of requestsOf(endpoint)) before.set(path, await answer(path))
  }
  for (const round of [2, LATE]) await landMore(round)
  const log = { info: () => void compacted++ }
  const context = { lake: service.lake, store: service.lake.store, log, now: () => now } as unknown as IngestContext
  for (const dataset of read) await compactDataset(context, dataset)
  await upkeep(0)
})
afterAll(() => service?.close())

/** The worker's daily run, so many ms later than now. */
async function upkeep(later_ms: number): Promise<void> {
  for (const dataset of read) {
    const table = service.lake.table(dataset)
    if (!(await table.load())) continue
    const at = (await table.store.now()) + later_ms
    await expireSnapshots({ table, now: at })
    await removeOrphans({ table, grace_ms: 0 })
  }
}

test('there are endpoints whose answers can be repeated', () => {
  expect(named.length).toBeGreaterThan(3)
  expect(compacted).toBeGreaterThan(0)
})

describe.each(named.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  const name = (): string => names.get(endpoint.path) as string

  test('has another answer since, of another state', async () => {
    const reply = (await service.json(requestOf(endpoint))) as Reply
    const moves = datasetsOf(endpoint).some((dataset) => more(dataset, 1).length > 0)
    if (moves) expect(reply.meta.snapshot).not.toBe(name())
  })

  test('repeats the answer of a state, byte by byte, in every representation', async () => {
    for (const path of requestsOf(endpoint)) {
      const [was, is] = [before.get(path) as Answer, plain(await answer(withSnapshot(path, name())))]
      expect(is.head, path).toEqual(plain(was).head)
      expect(is.body.equals(was.body), `${path}\n${was.body.toString().slice(0, 600)}\n${is.body.toString().slice(0, 600)}`).toBe(true)
    }
  })

  test.runIf(endpoint.returns.kind === 'list')('gives the same pages as it would have given then', async () => {
    if (endpoint.returns.kind !== 'list') return
    const list = endpoint.returns.name
    const whole = JSON.parse((before.get(requestOf(endpoint, { format: 'json' })) as Answer).body.toString()) as Reply
    const pages: unknown[] = []
    let path: string | null = withSnapshot(requestOf(endpoint, { limit: '1' }), name())
    while (path !== null && pages.length < whole[list].length + 2) {
      const reply = (await service.json(path)) as Reply
      expect(reply.meta?.snapshot, JSON.stringify(reply)).toBe(name())
      pages.push(...reply[list])
      path = reply.next_cursor ? requestOf(endpoint, { limit: '1', cursor: reply.next_cursor }) : null
    }
    expect(pages).toEqual(whole[list])
  })
})

test('for a day after the state was replaced, and then answers 410 with the nearest that is kept', async () => {
  const first = named[0] as (typeof named)[number]
  const path = withSnapshot(requestOf(first), names.get(first.path) as string)
  await upkeep(KEEP_ALL_MS - DAY_MS / 24)
  expect((await service.get(path)).status).toBe(200)
  await upkeep(KEEP_SNAPSHOTS_MS + DAY_MS / 24)
  for (const endpoint of named.filter((one) => datasetsOf(one).some((dataset) => more(dataset, 1).length > 0))) {
    const response = await service.get(withSnapshot(requestOf(endpoint), names.get(endpoint.path) as string))
    const problem = (await response.json()) as Reply
    expect([response.status, problem.code], endpoint.path).toEqual([410, 'snapshot-expired'])
    expect(problem.errors[0]).toMatchObject({ parameter: 'snapshot', detail: expect.stringContaining('no longer keeps') })
    const nearest = (await service.json(withSnapshot(requestOf(endpoint), problem.nearest_snapshot))) as Reply
    expect(nearest.meta.snapshot, endpoint.path).toBe(problem.nearest_snapshot)
    expect((await service.get(requestOf(endpoint))).status, endpoint.path).toBe(200)
  }
})
