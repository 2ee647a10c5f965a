import { pino } from 'pino'
import type { Feed } from '../../../jobs/feeds/define.ts'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { readPart } from '../../../lake/live/parts.ts'
import { decodeSnapshot } from '../../../lake/live/snapshot.ts'
import { acceptFetch, fetchId, keepBodies, newestAccepted } from '../../../lake/raw/archive.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { openTestContext, type Publisher, startPublisher, type TestContext } from '../../helpers/pipeline.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'

/** Never aborted. */
export const never = new AbortController().signal

/** Midnight of the stages' day, ms. */
export const START = Date.UTC(2026, 5, 15)

/** An instant, in minutes after the start, as ms. */
export const minute = (count: number): number => START + count * 60_000

/** A publisher, a lake, a Redis and a worker whose clock the test moves. */
export interface Stage {
  readonly context: TestContext
  runner: Runner
  /** The log, as level and text. */
  readonly lines: { readonly level: number; readonly msg: string; readonly fetch_id?: string; readonly reason?: string }[]
  readonly publisher: Publisher
  /** How many queries of the lake have ended. */
  queries: number
  /** Publishes a document of a minute and fetches it then, or at another. */
  publish(feed: Feed, count: number, document: object, fetchedAt?: number): ReturnType<Runner['fetch']>
  /** Puts documents of minutes into the archive as a worker would have accepted them, unfolded and unlanded. */
  archive(feed: Feed, from: number, to: number, document: (count: number) => object): Promise<void>
  /** Starts like a new process, which finds checkpoints or has to read the tables. */
  restart(from?: 'checkpoints' | 'tables'): void
  /** The live rows of a part; null without the part. */
  live(dataset: string, feed?: string): Promise<AnyRow[] | null>
  /** A second process on the same lake and Redis. */
  process(): Promise<TestContext>
  /** A second worker on the same lake and Redis. */
  another(): Promise<Runner>
  close(): Promise<void>
}

/** A process that finds no checkpoints: it reads its states from the tables. */
export function withoutCheckpoints<C extends IngestContext>(context: C): C {
  const { store } = context
  const list: ObjectStore['list'] = (prefix, options) => store.list(prefix.startsWith('state/') ? 'none/' : prefix, options)
  return { ...context, store: { ...store, list } }
}

/** Opens a stage on an empty Redis and an empty lake. */
export async function openStage(): Promise<Stage> {
  const redis = await startTestRedis()
  const publisher = await startPublisher({ at: new Date(START).toISOString(), beacons: {} })
  const folder = tempFolder()
  const lines: Stage['lines'] = []
  let clock = START
  const others: TestContext[] = []
  const onQuery = () => void stage.queries++
  const open = () => openTestContext({ folder, redisUrl: redis.url, publisher: publisher.url, now: () => clock, onQuery })
  const opened = await open()
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const context: TestContext = { ...opened, log }
  const stage: Stage = {
    context,
    runner: makeRunner(context),
    lines,
    publisher,
    queries: 0,
    publish: (feed, count, document, fetchedAt = count) => {
      publisher.document = { at: new Date(minute(count)).toISOString(), beacons: {}, ...document }
      clock = minute(fetchedAt) + 5000
      return stage.runner.fetch(feed, never)
    },
    archive: async ({ id }, from, to, document) => {
      const seq = ((await newestAccepted(context.store, id))?.seq ?? 0) + 1
      for (let count = from; count < to; count++) {
        const received = Buffer.from(JSON.stringify({ at: new Date(minute(count)).toISOString(), beacons: {}, ...document(count) }))
        const about = { name: 'document', url: 'https://publisher.example/document.json', status: 200, headers: {} }
        const fetched_at = minute(count) + 5000
        const bodies = await keepBodies(context.store, id, fetched_at, [{ ...about, received }])
        const counts = { rows: {}, blocks: {}, said_missing: {}, quarantined: 0, unknown_codes: 0 }
        const at = { fetched_at: new Date(fetched_at).toISOString(), data_time: new Date(minute(count)).toISOString() }
        const fetch = { fetch_id: fetchId(id, fetched_at), feed: id, ...at, bodies, ...counts, rejected: null }
        await acceptFetch(context.store, { ...fetch, seq: seq + count - from, accepted_by: 'guard' })
      }
    },
    restart: (from = 'checkpoints') => {
      stage.runner = makeRunner(from === 'tables' ? withoutCheckpoints(context) : context)
    },
    live: async (dataset, feed = 'little') => {
      const { bytes } = await readPart(context.redis, dataset, feed)
      return bytes && [...(await decodeSnapshot(bytes)).rows]
    },
    process: async () => {
      const other = await open()
      others.push(other)
      return other
    },
    another: async () => makeRunner(await stage.process()),
    close: async () => {
      for (const other of others) await other.close()
      await opened.close()
      await publisher.close()
      await redis.stop()
    },
  }
  return stage
}
