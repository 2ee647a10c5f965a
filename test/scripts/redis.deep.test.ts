import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openRedis } from '../../lake/live/connect.ts'
import { REDIS_MISSING, type RedisServer, startRedis } from '../../scripts/redis.ts'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'

const servers: RedisServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

async function start(folder: string): Promise<RedisServer> {
  const server = await startRedis({ folder, appendOnly: true })
  servers.push(server)
  return server
}

const running = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('startRedis', () => {
  test('keeps its data after a stop, and listens on no port', async () => {
    const folder = join(tempFolder(), 'made', 'anew')
    const first = await start(folder)
    const redis = openRedis(first.url)
    await redis.set('kept', 'yes')
    expect(await redis.config('GET', 'port')).toEqual(['port', '0'])
    redis.disconnect()
    await first.stop()
    expect(running(first.pid)).toBe(false)
    const second = await start(folder)
    const again = openRedis(second.url)
    expect(await again.get('kept')).toBe('yes')
    again.disconnect()
    expect([first.adopted, second.adopted]).toEqual([false, false])
  })

  test('takes over a server that an earlier start left behind, and ends it', async () => {
    const folder = tempFolder()
    const first = await start(folder)
    const second = await start(folder)
    expect([second.pid, second.adopted]).toEqual([first.pid, true])
    await second.stop()
    expect(running(first.pid)).toBe(false)
  })

  test('starts after a crash that left its socket', async () => {
    const folder = tempFolder()
    const first = await startRedis({ folder, appendOnly: true })
    process.kill(first.pid, 'SIGKILL')
    const second = await start(folder)
    expect(second.adopted).toBe(false)
  })

  test('finds a short path for the socket of a long folder', async () => {
    const folder = join(tempFolder(), 'x'.repeat(60), 'y'.repeat(60))
    const server = await start(folder)
    expect(server.url.startsWith(folder)).toBe(false)
    expect(Buffer.byteLength(server.url)).toBeLessThan(104)
  })

  test('reports how to install a missing program, and why one ended', async () => {
    await expect(startRedis({ folder: tempFolder(), appendOnly: false, program: 'no-such-redis' })).rejects.toThrow(REDIS_MISSING)
    await expect(startRedis({ folder: tempFolder(), appendOnly: false, program: 'false' })).rejects.toThrow('it ended with 1')
  })
})

describe('a service stops its redis-server', () => {
  const START = new URL('../../scripts/service/start.ts', import.meta.url).pathname
  const startIn = (folder: string): readonly string[] => [process.execPath, START, '--data', folder, '--port', '0']

  /** Waits until the service is ready, lets go of it, and waits until its redis-server has ended. */
  async function endsAfter(folder: string, letGo: () => void): Promise<void> {
    const socket = join(folder, 'redis', 'redis.sock')
    await until('redis answers', () => existsSync(socket), 60_000)
    const redis = openRedis(socket)
    const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1])
    redis.disconnect()
    expect(running(pid)).toBe(true)
    await until('the service is ready', () => existsSync(join(folder, 'api.url')), 120_000)
    letGo()
    await until('redis has ended', () => !running(pid), 60_000)
  }

  test('if its terminal is closed', async () => {
    const folder = tempFolder()
    const terminal: ChildProcess = spawn('script', ['-qec', startIn(folder).join(' '), '/dev/null'], { stdio: 'ignore' })
    await endsAfter(folder, () => terminal.kill('SIGKILL'))
  })

  test('if the reader of its output is gone', async () => {
    const folder = tempFolder()
    const child = spawn(process.execPath, startIn(folder).slice(1), { stdio: ['ignore', 'pipe', 'ignore'] })
    await endsAfter(folder, () => child.stdout.destroy())
  })
})
