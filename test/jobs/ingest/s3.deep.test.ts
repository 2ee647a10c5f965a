import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import { rejectedIds } from '../../../lake/raw/archive.ts'
import { httpfsAccess, httpfsFolder } from '../../helpers/httpfs.ts'
import { littleFeed } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { startS3 } from '../../helpers/s3-server.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { at, type Episode, never, STORY, startTeller, type Teller, type Told } from './story.ts'

const s3 = await startS3()
const extensions = s3 ? httpfsFolder() : null

let redis: TestRedis
let expected: Told
let teller: Teller

beforeAll(async () => {
  redis = await startTestRedis()
  const onFiles = await startTeller({ folder: tempFolder(), redisUrl: redis.url })
  await replay(onFiles)
  expected = await onFiles.told()
  await onFiles.close()
})
afterAll(async () => {
  await redis.stop()
  await s3?.stop()
})
afterEach(() => teller.close())

async function replay(
  on: Teller,
  options: { story?: readonly Episode[]; landAfter?: (step: number) => boolean; restartAfter?: (step: number) => boolean } = {},
): Promise<void> {
  for (const [step, episode] of (options.story ?? STORY).entries()) {
    expect((await on.publish(episode)).outcome).toBe('accepted')
    if (options.landAfter?.(step)) await on.land()
    if (options.restartAfter?.(step)) await on.restart()
  }
  await on.land()
}

const READERS: readonly [name: string, extensions: string | null][] = [
  ['whole files through the cache', null],
  ['ranges by httpfs', extensions],
]

describe.skipIf(!s3).each(READERS)('the pipeline on S3, read as %s', (name, folder) => {
  const it = test.skipIf(name.startsWith('ranges') && !folder)

  async function start(): Promise<void> {
    const options = (s3 as NonNullable<typeof s3>).fresh()
    const httpfs = folder ? httpfsAccess(folder, options) : null
    teller = await startTeller({ folder: tempFolder(), s3: options, httpfs, redisUrl: redis.url })
    expect(teller.context.lake.engine.rangeReads).toBe(folder !== null)
  }

  it('lands the same rows as on files, whatever batches and restarts', async () => {
    await start()
    await replay(teller, { landAfter: (step) => step !== 2, restartAfter: (step) => step % 3 === 1 })
    expect(await teller.told()).toEqual(expected)
    for (const dataset of teller.feed.into) {
      const files = await liveFiles((await teller.context.lake.table(dataset).load()) as TableState)
      // Compaction ran: nine landings over two days and two months are three files or less than five.
      expect(files.length).toBeLessThanOrEqual(5)
    }
  })

  it('replays unchanged fetches to nothing, and those of a mended parser to their rows', async () => {
    await start()
    await replay(teller, { landAfter: (step) => step % 2 === 0 })
    const { context, feed } = teller
    for (const dataset of feed.into)
      expect(await rebuild(context, { feed, dataset, from: 0, to: null })).toEqual({ fetches: 10, removed: 0, added: 0 })
    expect(await teller.told()).toEqual(expected)
    const [, readings] = feed.into as [never, (typeof feed.into)[number]]
    const range = { from: Date.parse(at(2)), to: Date.parse(at(4)) }
    expect(await rebuild(context, { feed: littleFeed({ speed: 50 }), dataset: readings, ...range })).toEqual({
      fetches: 3,
      removed: 6,
      added: 6,
    })
    const mended = await teller.told()
    expect(mended.readings.filter(({ speed_kmh }) => speed_kmh === 50)).toHaveLength(6)
    expect(mended.readings.map((row) => ({ ...row, speed_kmh: null }))).toEqual(expected.readings)
  })

  it('gives a fetch accepted late the place it would have had', async () => {
    await start()
    const late = STORY[5] as Episode
    await replay(teller, { story: STORY.filter((episode) => episode !== late), landAfter: (step) => step === 3 })
    expect(await teller.publish(late)).toMatchObject({ outcome: 'rejected' })
    const { context, runner, feed } = teller
    const [id] = await rejectedIds(context.store, feed.id)
    await runner.accept(feed, id as string)
    await runner.land(feed, never)
    const { beacons, readings, landed } = await teller.told()
    expect({ beacons, readings }).toEqual({ beacons: expected.beacons, readings: expected.readings })
    expect(landed.map(({ seqs }) => seqs)).toEqual([[[1, 10]], [[1, 10]]])
  })
})
