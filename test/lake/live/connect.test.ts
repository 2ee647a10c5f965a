import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRedis } from '../../../lake/live/connect.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(async () => {
  await server.stop()
})

test.each([
  [true, 'are given once more', 0],
  [false, 'are dropped', 1],
])('with repeatBroken %s, commands that were on their way when the connection broke %s', async (repeatBroken, _what, left) => {
  const control = openRedis(server.url)
  const redis = openRedis(server.url, { repeatBroken })
  try {
    await control.del('list')
    const id = await redis.client('ID')
    const answer = redis.blpop('list', 0).catch(() => null)
    await until('it to be blocked', async () => /blocked_clients:1/.test(await control.info('clients')))
    await control.client('KILL', 'ID', id)
    await until(
      'the connection to be back',
      async () => redis.status === 'ready' && !String(await control.client('LIST')).includes(`id=${id} `),
    )
    if (repeatBroken) await until('it to be blocked again', async () => /blocked_clients:1/.test(await control.info('clients')))
    await control.rpush('list', 'one')
    if (repeatBroken) expect(await answer).toEqual(['list', 'one'])
    // A command after it on the same connection: had the first one been repeated, it would be answered by now.
    else await redis.ping()
    expect(await control.llen('list')).toBe(left)
  } finally {
    redis.disconnect()
    control.disconnect()
  }
})

test('a connection to a server that was demoted is opened anew, and leads to the new one', async () => {
  const next = await startTestRedis()
  let target = server.url
  const proxy = createServer((socket) => {
    const upstream = connect(target).on('error', () => socket.destroy())
    socket.on('error', () => upstream.destroy()).pipe(upstream)
    upstream.pipe(socket)
  })
  const path = join(tempFolder(), 'proxy.sock')
  await new Promise<void>((resolve) => proxy.listen(path, resolve))
  const redis = openRedis(path)
  const control = openRedis(server.url)
  try {
    await redis.set('a', 1)
    target = next.url
    await control.replicaof('127.0.0.1', '1')
    await expect(redis.set('a', 2)).rejects.toThrow('READONLY')
    await until('a write succeeds', () =>
      redis.set('a', 3).then(
        () => true,
        () => false,
      ),
    )
    expect(await redis.get('a')).toBe('3')
  } finally {
    redis.disconnect()
    await control.replicaof('NO', 'ONE')
    control.disconnect()
    proxy.close()
    await next.stop()
  }
})
