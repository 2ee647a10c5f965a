import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { type Landed, landedOf } from '../../../lake/landed.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { type Document, littleFeed, openTestContext, startPublisher, type TestContext, tableRows } from '../../helpers/pipeline.ts'

/** A publication: minutes from just before the end of January 2026, beacons by id and km, readings by sensor. */
export type Episode = readonly [minute: number, beacons: Document['beacons'], readings: Document['readings']]

/** A story of ten publications over the turn of a month: beginnings, changes, absences, ends, a return. */
export const STORY: readonly Episode[] = [
  [0, { a: 1, b: 2 }, { s1: 10, s2: 20 }],
  [1, { a: 1, b: 3 }, { s1: 11, s2: 21 }],
  [2, { a: 1 }, { s1: 12, s2: 22 }],
  [3, { a: 1, c: 7 }, { s1: 13, s2: 23 }],
  [4, { a: 1, c: 7 }, { s1: 14, s2: 24 }],
  [9, { a: 2, c: 7 }, { s1: 15, s2: 25 }],
  [11, { a: 2, c: 8 }, { s1: 16, s2: 26 }],
  [12, { a: 2, b: 3, c: 8 }, { s1: 17, s2: 27 }],
  [13, { a: 2, c: 8 }, { s1: 18 }],
  [14, { a: 4, c: 8, d: 1 }, { s1: 19, s2: 29 }],
]

/** The instant of a minute of the story, ISO 8601. */
export const at = (minute: number): string => new Date(Date.UTC(2026, 0, 31, 23, 50 + minute)).toISOString()

/** Never aborted. */
export const never = new AbortController().signal

/** The contents of the tables after a story. */
export interface Told {
  readonly beacons: readonly AnyRow[]
  readonly readings: readonly AnyRow[]
  readonly landed: readonly Landed[]
}

/** A worker on a little feed whose publisher and clock the test moves. */
export interface Teller {
  readonly feed: ReturnType<typeof littleFeed>
  readonly context: TestContext
  readonly runner: Runner
  /** Moves the publisher and the clock to an episode. */
  turnTo(episode: Episode): void
  /** Publishes and fetches, without checks of the outcome. */
  publish(episode: Episode): ReturnType<Runner['fetch']>
  land(): Promise<void>
  /** Starts like a new process. */
  restart(): Promise<void>
  /** All rows of both tables, and their record of landed fetches. */
  told(): Promise<Told>
  close(): Promise<void>
}

/** Starts a worker on an empty Redis and on the present contents of the folder or prefix. */
export async function startTeller(place: Omit<Parameters<typeof openTestContext>[0], 'publisher' | 'now'>): Promise<Teller> {
  const feed = littleFeed()
  const publisher = await startPublisher({ at: at(0), beacons: {} })
  let clock = Date.parse(at(0))
  const open = (): Promise<TestContext> => openTestContext({ ...place, publisher: publisher.url, now: () => clock })
  let context = await open()
  await context.redis.flushall()
  let runner = makeRunner(context)
  const turnTo = ([minute, beacons, readings = {}]: Episode): void => {
    publisher.document = { at: at(minute), beacons, readings }
    clock = Date.parse(at(minute)) + 5000
  }
  const landed = async (dataset: Dataset): Promise<Landed> =>
    landedOf((await context.lake.table(dataset).load())?.properties ?? {}, feed.id)
  return {
    feed,
    get context() {
      return context
    },
    get runner() {
      return runner
    },
    turnTo,
    publish: (episode) => {
      turnTo(episode)
      return runner.fetch(feed, never)
    },
    land: async () => void (await runner.land(feed, never)),
    restart: async () => {
      await context.close()
      context = await open()
      runner = makeRunner(context)
    },
    told: async () => ({
      beacons: await tableRows(context, v16Beacons),
      readings: await tableRows(context, trafficReadings),
      landed: await Promise.all([v16Beacons, trafficReadings].map(landed)),
    }),
    close: async () => {
      await context.close()
      await publisher.close()
    },
  }
}
