import type { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { followEvents } from '../../../lake/events/follow.ts'
import { EventLog } from '../../../lake/events/log.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { emptyRedis, type TestRedis } from '../../helpers/redis.ts'
import { slowSocket } from '../../helpers/slow-socket.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'

let redis: Redis
let server: TestRedis
emptyRedis((one, its) => {
  redis = one
  server = its
})

test('a batch that is recorded before the connection to Redis is ready is delivered once it is', async () => {
  const log = new EventLog({ store: await fileStore(tempFolder()), redis })
  const offsets: number[] = []
  const firstRead = Promise.withResolvers<void>()
  const read: EventLog['read'] = async (after, limit) => {
    const found = await log.read(after, limit)
    firstRead.resolve()
    return found
  }
  const follower = followEvents({
    ...{ log: { read } as EventLog, redisUrl: await slowSocket(server.url, 300), after: 0 },
    onBatch: ({ offset }) => void offsets.push(offset),
    onError: () => undefined,
  })
  onTestFinished(() => follower.close())
  await firstRead.promise
  await log.record('test', [{ id: 'evt_1', type: 'feed.stale', thing: 'x', at: 0 }], { since: Date.now() })
  await until('it is delivered', () => offsets.length === 1, 1500)
  expect(offsets).toEqual([1])
})
