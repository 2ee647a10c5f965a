import type { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openRedis } from '../../lake/live/connect.ts'
import { startTestRedis, type TestRedis } from '../helpers/redis.ts'
import { until } from '../helpers/until.ts'
import { feed, pause, type WorkerProcess, workerProcess } from './workers.ts'

let server: TestRedis
let redis: Redis
const processes: WorkerProcess[] = []

beforeEach(async () => {
  server = await startTestRedis()
  redis = openRedis(server.url)
})
afterEach(async () => {
  for (const { child } of processes.splice(0)) child.kill('SIGKILL')
  redis.disconnect()
  await server.stop()
})

async function start(work_ms: number): Promise<WorkerProcess> {
  const started = workerProcess(server.url, [feed('a', 3600)], work_ms)
  processes.push(started)
  await until('the worker to be ready', () => started.lines.includes('ready'), 20_000)
  return started
}

describe('a worker process', () => {
  test('that is killed leaves its job to another', async () => {
    const killed = await start(60_000)
    await until('a run', () => killed.lines.includes('begin fetch a'))
    const other = await start(50)
    killed.child.kill('SIGKILL')
    await until('the other to do it', () => other.lines.includes('end fetch a done'), 10_000)
  })

  test('that is stopped past its lock gets an error when it goes on, and the job was done by another', async () => {
    const stopped = await start(60_000)
    await until('a run', () => stopped.lines.includes('begin fetch a'))
    const other = await start(3000)
    stopped.child.kill('SIGSTOP')
    // The stopped process may have taken the message that the job waits; the other then looks unprompted after ten seconds.
    await until('the other to take it over', () => other.lines.includes('begin fetch a'), 20_000)
    const holder = await redis.get('lock:job:fetch:a')
    stopped.child.kill('SIGCONT')
    await until('the first to lose it', () => stopped.lines.includes('end fetch a LockLost'), 2000)
    await until('the other to finish', () => other.lines.includes('end fetch a done'), 10_000)
    expect(holder).not.toBeNull()
    expect(other.lines.filter((line) => line === 'begin fetch a')).toHaveLength(1)
  })

  test('that receives a stop signal ends by itself', async () => {
    const worker = await start(300)
    await until('a run', () => worker.lines.includes('begin fetch a'))
    worker.child.kill('SIGTERM')
    await until('it to end', () => worker.child.exitCode !== null, 10_000)
    await pause(10)
    expect([worker.child.exitCode, worker.lines.includes('end fetch a done')]).toEqual([0, true])
  })
})
