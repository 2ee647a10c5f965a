import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, openRedis } from '../../../lake/live/connect.ts'
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
  const proxy = await proxyTo(() => target)
  const redis = openRedis(proxy.path)
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

test('a channel is listened to at each connection, which may be closed before the server has replied', async () => {
  const proxy = await proxyTo(() => server.url)
  const unhandled: unknown[] = []
  const noteUnhandled = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', noteUnhandled)
  const heard: string[] = []
  const control = openRedis(server.url)
  let times = 0
  let closesAtOnce = false
  const messages = listen(proxy.path, 'channel', { onMessage: (message) => heard.push(message), onListening: () => times++ })
  const closed = openRedis(proxy.path)
  closed.on('ready', () => {
    if (!closesAtOnce) return
    closed.disconnect()
    proxy.breakAll()
  })
  try {
    await closed.subscribe('channel')
    await until('listening', () => messages.isListening)
    await control.publish('channel', 'one')
    await until('heard', () => heard.length === 1)
    closesAtOnce = true
    proxy.breakAll()
    await until('away', () => !messages.isListening)
    await until('listening again', () => closed.status === 'end' && messages.isListening)
    await control.publish('channel', 'two')
    await until('heard again', () => heard.length === 2)
    expect(heard).toEqual(['one', 'two'])
    expect(times).toBeGreaterThanOrEqual(2)
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', noteUnhandled)
    for (const redis of [closed, control]) redis.disconnect()
    messages.close()
    proxy.close()
  }
})

/** A proxy on a socket of its own; `target` states where new connections lead. */
async function proxyTo(target: () => string): Promise<{ path: string; breakAll: () => void; close: () => void }> {
  const open = new Set<Socket>()
  const proxy = createServer((socket) => {
    open.add(socket.on('close', () => open.delete(socket)))
    const upstream = connect(target()).on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
    socket.on('error', () => upstream.destroy()).pipe(upstream)
    upstream.pipe(socket)
  })
  const path = join(tempFolder(), 'proxy.sock')
  await new Promise<void>((resolve) => proxy.listen(path, resolve))
  const breakAll = (): void => {
    for (const socket of open) socket.destroy()
  }
  return { path, breakAll, close: () => proxy.close() }
}
