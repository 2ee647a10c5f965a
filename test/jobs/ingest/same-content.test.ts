import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { batch, defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { openZip } from '../../../jobs/formats/zip.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { logAfter, newestAccepted } from '../../../lake/raw/archive.ts'
import { littleFeed, openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { type Member, zipOf } from '../../helpers/zip.ts'
import { stops } from '../derive/little.ts'
import { minute, never } from './stage.ts'

const [littlePlan] = littleFeed().plans
const [request] = littlePlan?.requests ?? []

/** Archives of two files: the stops of a version, one a line, and an unread one. */
const feed: Feed = defineFeed({
  ...littleFeed(),
  into: [stops],
  bands: {},
  plans: [{ requests: [{ ...(request as NonNullable<typeof request>), expects: 'zip' }] }],
  freshBy: 'fetch',
  async *rows(bodies) {
    const zip = await openZip(bodies[0]?.bytes as Buffer, { maxBytes: 1_000_000 })
    let text = ''
    for await (const piece of zip.read('stops.txt')) text += piece
    yield batch(
      stops,
      text.split('\n').map((stop_id) => ({ version: 'V1', stop_id, valid_from: 0 })),
    )
  },
})

const member = (name: string, text: string): Member => ({ name, bytes: Buffer.from(text) })
const [STOPS, ABOUT] = [member('stops.txt', 'Atocha\nSol\nGetafe'), member('about.txt', 'made at night')]

let redis: Awaited<ReturnType<typeof startTestRedis>>
let server: Server
let context: TestContext
let runner: Runner
let published = zipOf(STOPS, ABOUT)
/** Statuses of the publisher's replies, the last one at the end. */
let replies: number[] = []
let clock = minute(0)

beforeEach(async () => {
  redis = await startTestRedis()
  replies = []
  server = createServer(({ headers }, response) => {
    const etag = `"${createHash('sha256').update(published).digest('hex')}"`
    const isKnown = headers['if-none-match'] === etag
    replies.push(isKnown ? 304 : 200)
    response.writeHead(isKnown ? 304 : 200, { 'content-type': 'application/zip', etag }).end(isKnown ? '' : published)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const publisher = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher, now: () => clock })
  runner = makeRunner(context)
  expect(await publish(0, STOPS, ABOUT)).toMatchObject({ outcome: 'accepted' })
  await runner.land(feed, never)
})
afterEach(async () => {
  await context.close()
  server.close()
  await redis.stop()
})

async function publish(count: number, ...members: readonly Member[]): ReturnType<Runner['fetch']> {
  clock = minute(count)
  published = zipOf(...members)
  return runner.fetch(feed, never)
}

const version = async () => (await context.lake.table(stops).load())?.version
const names = async (): Promise<string[]> => (await tableRows(context, stops)).map(({ stop_id }) => String(stop_id)).sort()

describe('an archive of the same files in other bytes', () => {
  test.each([
    ['in another order', [ABOUT, STOPS]],
    ['packed otherwise', [{ ...STOPS, isStored: true }, ABOUT]],
  ])('%s is no new publication: nothing is written, and it was seen', async (_, members) => {
    const before = await version()
    expect(await publish(60, ...members)).toMatchObject({ outcome: 'unchanged', reason: 'same content' })
    runner = makeRunner(context)
    expect(await publish(120, ...members)).toMatchObject({ outcome: 'unchanged', reason: 'same content' })
    await runner.land(feed, never)
    expect([await version(), await names()]).toEqual([before, ['Atocha', 'Getafe', 'Sol']])
    expect(await logAfter(context.store, feed.id, 0)).toHaveLength(1)
    expect((await readFeedStates(context.redis)).get(feed.id)).toMatchObject({ fresh_at: minute(120), last_error: null })
  })

  test('is not sent again: its ETag is asked with from then on, and forgotten with the next publication', async () => {
    expect(await publish(60, ABOUT, STOPS)).toMatchObject({ outcome: 'unchanged', reason: 'same content' })
    expect(await publish(120, ABOUT, STOPS)).toMatchObject({ outcome: 'unchanged', reason: 'not modified' })
    await runner.land(feed, never)
    expect(await publish(180, ABOUT, STOPS)).toMatchObject({ outcome: 'unchanged', reason: 'not modified' })
    expect(replies).toEqual([200, 200, 304, 304])
    const more = member('stops.txt', 'Atocha\nSol')
    expect(await publish(240, ABOUT, more)).toMatchObject({ outcome: 'accepted' })
    expect(await publish(300, ABOUT, more)).toMatchObject({ outcome: 'unchanged', reason: 'not modified' })
    expect(replies).toEqual([200, 200, 304, 304, 200, 304])
  })

  test.each([
    ['another text of the same length', [member('stops.txt', 'Atocha\nSol\nGetafo'), ABOUT], 'Getafo'],
    ['a file less', [STOPS], 'Getafe'],
    ['a file more', [STOPS, ABOUT, member('more.txt', '')], 'Getafe'],
    ['a file of another name', [STOPS, member('notes.txt', 'made at night')], 'Getafe'],
  ])('but with %s it is one', async (_, members, stop) => {
    expect(await publish(60, ...members)).toMatchObject({ outcome: 'accepted' })
    await runner.land(feed, never)
    expect(await names()).toContain(stop)
    expect(await publish(120, ...members.toReversed())).toMatchObject({ outcome: 'unchanged' })
    expect(await publish(180, STOPS, ABOUT)).toMatchObject({ outcome: 'accepted' })
  })

  test('a damaged file with the same stated checksum is refused', async () => {
    const damaged = member('stops.txt', 'Atocha\nSol\nGetafo')
    const sum = zipOf(STOPS).readUInt32LE(14)
    expect(await publish(60, ABOUT, { ...damaged, statedSum: sum })).toMatchObject({
      outcome: 'rejected',
      reason: 'stops.txt in the zip is damaged: its checksum differs',
    })
  })

  test('is accepted where the bytes of the last one are lost', async () => {
    const last = await newestAccepted(context.store, feed.id)
    await context.store.delete(last?.bodies[0]?.object as string)
    expect(await publish(60, ABOUT, STOPS)).toMatchObject({ outcome: 'accepted' })
  })
})
