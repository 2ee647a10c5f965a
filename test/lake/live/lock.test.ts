import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRedis } from '../../../lake/live/connect.ts'
import { LockLost, withLock } from '../../../lake/live/lock.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { until } from '../../helpers/until.ts'

let server: TestRedis
let redis: Redis
let other: Redis
beforeAll(async () => {
  server = await startTestRedis()
  redis = openRedis(server.url)
  other = openRedis(server.url)
})
beforeEach(async () => {
  await redis.flushall()
})
afterAll(async () => {
  redis.disconnect()
  other.disconnect()
  await server.stop()
})

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Work that goes on until its signal fires, and returns the reason. */
const untilAborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }))

describe('withLock', () => {
  test('lets one of many work at a time', async () => {
    let [working, most, ran] = [0, 0, 0]
    const work = async (): Promise<void> => {
      most = Math.max(most, ++working)
      await pause(20)
      working--
      ran++
    }
    const attempts = await Promise.all(
      Array.from({ length: 10 }, (_, n) => withLock({ redis: n % 2 ? redis : other, name: 'l', ttl_ms: 1000 }, work)),
    )
    expect(attempts.filter((attempt) => attempt.ran)).toHaveLength(1)
    await Promise.all(Array.from({ length: 5 }, () => withLock({ redis, name: 'l', ttl_ms: 1000, wait_ms: 10_000 }, work)))
    expect([most, ran]).toEqual([1, 6])
  })

  test('gives back the value, and the lock, also after a failure', async () => {
    expect(await withLock({ redis, name: 'l', ttl_ms: 1000 }, async () => 7)).toEqual({ ran: true, value: 7 })
    await expect(withLock({ redis, name: 'l', ttl_ms: 1000 }, async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await redis.exists('lock:l')).toBe(0)
  })

  test('keeps longer than its time by renewal', async () => {
    const held = withLock({ redis, name: 'l', ttl_ms: 200 }, async (signal) => {
      await pause(700)
      return signal.aborted
    })
    await pause(500)
    expect(await withLock({ redis: other, name: 'l', ttl_ms: 200 }, async () => 1)).toEqual({ ran: false })
    expect(await held).toEqual({ ran: true, value: false })
  })

  test('notifies its work that another has taken it, and leaves that one alone', async () => {
    const work = withLock({ redis, name: 'l', ttl_ms: 400 }, untilAborted)
    await until('it to be held', async () => (await redis.exists('lock:l')) === 1)
    await redis.set('lock:l', 'another')
    expect(await work).toMatchObject({ ran: true, value: expect.any(LockLost) })
    expect(await redis.get('lock:l')).toBe('another')
  })

  test('is lost with an emptied Redis', async () => {
    const work = withLock({ redis, name: 'l', ttl_ms: 400 }, untilAborted)
    await until('it to be held', async () => (await redis.exists('lock:l')) === 1)
    await redis.flushall()
    expect(await work).toMatchObject({ value: expect.any(LockLost) })
  })

  test('is lost in time when Redis does not answer', async () => {
    const began = performance.now()
    const mine = openRedis(server.url)
    const work = withLock({ redis: mine, name: 'l', ttl_ms: 600 }, async (signal) => [
      await untilAborted(signal),
      performance.now() - began,
    ])
    await until('it to be held', async () => (await redis.exists('lock:l')) === 1)
    mine.disconnect()
    const { value } = (await work) as { ran: true; value: [unknown, number] }
    expect(value[0]).toBeInstanceOf(LockLost)
    expect(value[1]).toBeLessThan(700)
  })

  test('passes on the signal of its caller, and waits no longer when it fires', async () => {
    const stop = new AbortController()
    const work = withLock({ redis, name: 'l', ttl_ms: 1000, signal: stop.signal }, untilAborted)
    const waiting = withLock({ redis: other, name: 'l', ttl_ms: 1000, wait_ms: 60_000, signal: stop.signal }, async () => 1)
    await pause(100)
    stop.abort(new Error('stop'))
    expect(await work).toMatchObject({ value: expect.objectContaining({ message: 'stop' }) })
    expect(await waiting).toEqual({ ran: false })
  })
})
