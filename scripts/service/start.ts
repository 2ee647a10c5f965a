import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimLake } from '../../lake/system.ts'
import { startRedis } from '../redis.ts'
import { type Child, startChild } from './child.ts'
import { claimFolder } from './claim.ts'
import { readOptions, type StartOptions, USAGE } from './options.ts'
import { say } from './output.ts'
import { openServiceStore } from './parts.ts'

const MODE_LINES = {
  simulated: "SIMULATED publishers: generated data in the publishers' own formats, not the real world",
  replay: 'REPLAY of recorded captures: real data, but of the past',
  live: "LIVE: the publishers' own addresses",
} as const
/** The processes of the service; a small young generation keeps their memory small. */
const PROCESSES = {
  publishers: { script: 'run-publishers.ts', flags: ['--max-old-space-size=192', '--max-semi-space-size=8'] },
  worker: { script: 'run-worker.ts', flags: ['--max-semi-space-size=8'] },
  api: { script: 'run-api.ts', flags: [] },
} as const
/** How soon a process that died is started again, and how often in a row at most. */
const RESTART_WAIT_MS = 1000
const MOST_RESTARTS = 20
const REDIS_LOOK_MS = 3000
/** How long `ready` waits for the first live data. */
const FIRST_DATA_MS = 60_000

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === 'help') return say(USAGE)
  const release = claimFolder(options.dataFolder)
  process.once('exit', release)
  const store = await openServiceStore(options.config)
  const storeUrl = store.url
  try {
    await claimLake(store, options.mode, Date.now())
  } finally {
    await store.close()
  }
  const children = new Set<Child>()
  let stopping = false
  const isStopping = (): boolean => stopping
  const redis = options.config.redisUrl ? null : await ownRedis(join(options.dataFolder, 'redis'), isStopping)
  const stopAll = async (): Promise<void> => {
    stopping = true
    for (const child of [...children].reverse()) await child.stop()
    await redis?.stop()
  }
  const stop = (): void => {
    if (stopping) return
    say('stopping ...')
    stopAll().then(() => process.exit(0), fail)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const base = { ...process.env, SOURCE_MODE: options.mode, DATA_DIR: options.dataFolder, PORT: String(options.port) }
  /** Starts a process, and again whenever it dies; what it tells at first is what later starts are given. */
  const keep = async (
    name: keyof typeof PROCESSES,
    env: Readonly<Record<string, string | undefined>>,
    args: (told: string | null) => string[],
  ): Promise<string> => {
    let told: string | null = null
    const launch = (): ReturnType<typeof startChild<{ url?: string }>> => {
      const { script, flags } = PROCESSES[name]
      return startChild({
        name,
        script: join(import.meta.dirname, script),
        flags,
        args: args(told),
        env,
        onLine: say,
        onSpawn: (child) => children.add(child),
      })
    }
    const { child, ready } = await launch()
    told = ready.url ?? ''
    void watch(child, { children, launch, isStopping })
    return told
  }
  try {
    const captures = options.captures === null ? [] : ['--captures', options.captures]
    const publishers =
      options.mode === 'live'
        ? null
        : await keep('publishers', base, (told) => [...captures, ...(told ? ['--port', new URL(told).port] : [])])
    const env = { ...base, REDIS_URL: options.config.redisUrl ?? redis?.url, ...(publishers ? { PUBLISHERS_URL: publishers } : {}) }
    const [url] = await Promise.all([keep('api', env, () => []), keep('worker', env, () => [])])
    await firstData(url)
    banner(options, { url, storeUrl, redisUrl: env.REDIS_URL ?? '', publishers })
  } catch (error) {
    if (stopping) return
    await stopAll()
    throw error
  }
}

/** A redis-server of our own, started again should it die. */
async function ownRedis(folder: string, isStopping: () => boolean): Promise<{ readonly url: string; stop(): Promise<void> }> {
  let server = await startRedis({ folder, appendOnly: true })
  const look = setInterval(() => {
    if (isStopping() || isAlive(server.pid)) return
    say('redis-server died; starting it again')
    startRedis({ folder, appendOnly: true }).then(
      (again) => {
        server = again
      },
      (error: Error) => say(error.message),
    )
  }, REDIS_LOOK_MS)
  return {
    url: server.url,
    stop: () => {
      clearInterval(look)
      return server.stop()
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Starts a process again when it dies while it should run. */
async function watch(
  first: Child,
  context: { readonly children: Set<Child>; readonly launch: () => Promise<{ child: Child }>; readonly isStopping: () => boolean },
): Promise<void> {
  let child = first
  for (let restarts = 0; restarts < MOST_RESTARTS; restarts++) {
    const code = await child.ended
    if (context.isStopping()) return
    say(`${child.name} ended with ${code ?? 'a signal'}; starting it again`)
    await sleep(RESTART_WAIT_MS)
    if (context.isStopping()) return
    context.children.delete(child)
    const again = await context.launch().catch(() => null)
    if (again) child = again.child
  }
  fail(new Error(`${child.name} ended ${MOST_RESTARTS} times`))
}

/** Waits until the API has live data to show, so that `ready` means a useful answer. */
async function firstData(url: string): Promise<void> {
  const end = Date.now() + FIRST_DATA_MS
  while (Date.now() < end) {
    const ready = await fetch(`${url}/ready`).catch(() => null)
    await ready?.arrayBuffer()
    if (ready?.ok) return
    await sleep(200)
  }
  say('no feed has given data yet; see /api/freshness')
}

function banner(
  options: StartOptions,
  where: { readonly url: string; readonly storeUrl: string; readonly redisUrl: string; readonly publishers: string | null },
): void {
  say('')
  say('Traffic Intelligence')
  say(`  source   ${MODE_LINES[options.mode]}`)
  if (where.publishers) say(`           stand-in at ${where.publishers}`)
  say(`  data     ${options.dataFolder}`)
  say(`  lake     ${where.storeUrl}/lake`)
  say(`  redis    ${where.redisUrl}`)
  say('  access   open: PRO and ENTERPRISE endpoints ask for no key yet')
  say(`  try      curl '${where.url}/api/incidents?province=Madrid'`)
  say(`ready ${where.url}`)
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

await main().catch(fail)
