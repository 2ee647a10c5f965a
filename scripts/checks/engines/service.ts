import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startRedis } from '../../redis.ts'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
const run = promisify(execFile)
/** How long a simulated service fills its lake, in ms. */
const FILL_MS = 120_000
const STOP_MS = 20_000
/** Engines send far more requests a minute than a person who attaches a lake. */
const PLANS = JSON.stringify({ ENTERPRISE: { requests_per_minute: 1_000_000, requests_per_day: 1_000_000 } })

/** A catalogue as clients name it. */
export interface CatalogueAddress {
  readonly uri: string
  readonly token: string
}

/** Lets a simulated service fill a lake for two minutes, in a data folder; returns the folder of its tables. */
export async function fillLake(data: string): Promise<string> {
  const { child } = await start(['--data', data], {})
  await sleep(FILL_MS)
  await stop(child)
  return join(data, 'store', 'lake')
}

/**
 * Runs work with the catalogue of a lake folder and a key of a lake writer: an API alone over a copy in `data`, by hard links if
 * it is on the same disk.
 */
export async function withCatalogue(lake: string, data: string, work: (address: CatalogueAddress) => Promise<void>): Promise<void> {
  await mkdir(join(data, 'store'), { recursive: true })
  const copy = (option: string) => run('cp', ['-T', option, lake, join(data, 'store', 'lake')])
  await copy('-al').catch(() => copy('-a'))
  const redis = await startRedis({ folder: data, appendOnly: false })
  const env = { LAKE_URL: join(data, 'store'), REDIS_URL: redis.url, PLANS }
  let child: ChildProcess | null = null
  try {
    const started = await start(['--only', 'api', '--data', data], env)
    const { url } = started
    child = started.child
    const command = join(PROJECT, 'scripts', 'keys')
    const args = ['create', 'engines@example.org', '--lake-writer', '--data', data]
    const { stdout } = await run(command, args, { env: { ...process.env, ...env } })
    await work({ uri: `${url}/lake/iceberg`, token: stdout.split('\n', 1)[0] as string })
  } finally {
    if (child) await stop(child)
    await redis.stop()
  }
}

/** Starts the service on a free port; resolves once it is ready. Throws if it ends before. */
async function start(args: readonly string[], env: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(join(PROJECT, 'scripts', 'start'), ['--json', '--port', '0', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^ready (http:\S+)/.exec(line) ?? []
    if (!url) continue
    child.stdout.resume()
    return { child, url }
  }
  throw new Error('the service ended before it was ready')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(timer)
}
