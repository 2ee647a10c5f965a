import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Readiness } from '../../api/engine/state/readiness.ts'
import { isAlive } from '../../lake/process-lock.ts'
import { isUnreachable } from '../../lake/store/errors.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { claimLake, readFeedListings } from '../../lake/system.ts'
import { say } from '../commands/output.ts'
import { startRedis } from '../redis.ts'
import { readText } from './api-figures.ts'
import { FIRST_TRY } from './board.ts'
import { readPlanSettings, webhookRules } from './caller-settings.ts'
import { claimFolder, noteApi, notePublishers } from './claim.ts'
import { type MetricsPorts, metricsPorts } from './metrics-ports.ts'
import { readOptions, type StartOptions, USAGE } from './options.ts'
import { PROCESSES } from './processes.ts'
import { openServiceStore } from './store.ts'
import { type ProcessState, supervise } from './supervise.ts'
import { type Arrivals, openStartView, type StartView } from './terminal.ts'

const MODE_LINES = {
  simulated: "SIMULATED publishers: generated data in the publishers' own formats, not the real world",
  replay: 'REPLAY of recorded captures: real data, but of the past',
  live: "LIVE: the publishers' own addresses",
} as const
const REDIS_LOOK_MS = 3000
/** The feed that the suggested request shows, and how long `ready` waits for it. */
const FIRST_FEED = 'dgt_incidents'
const FIRST_DATA_MS = 60_000
/** How often `/ready` is requested for missing feeds, ms. */
const COMING_MS = 2000
/** How long a reply of `/ready` may take, ms: it waits for the data store and for tables. */
const READY_MS = 30_000
/** Time between two looks for a data store that does not answer, ms. */
const STORE_RETRY_MS = 2000

/** The facts that a process reports when it is ready. */
interface StartedProcess {
  readonly url?: string
  /** Address of the stand-in's AIS receiver; null if it has none. */
  readonly nmea?: string | null
  /** Address of its metrics; null if they are off. */
  readonly metrics?: string | null
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === 'help') return say(USAGE)
  readPlanSettings(options.config)
  webhookRules(options.config)
  const ports = metricsPorts(options.config)
  const release = claimFolder(options.dataFolder)
  process.once('exit', release)
  const isTerminal = process.stdout.isTTY === true && process.env['TERM'] !== 'dumb' && options.config.logFormat === 'auto'
  const view = openStartView({ dataFolder: options.dataFolder, mode: options.mode, isTerminal })
  await run(options, view, ports).catch((error: unknown) => {
    view.close('failed')
    throw error
  })
}

async function run(options: StartOptions, view: StartView, ports: MetricsPorts | null): Promise<void> {
  const services = supervise({ say: view.say, onLine: view.processLine, onState: view.processState })
  let redis: Awaited<ReturnType<typeof ownRedis>> | null = null
  let store: ObjectStore | null = null
  const stopAll = async (): Promise<void> => {
    await services.stop()
    await redis?.stop()
    await store?.close()
  }
  const stop = (): void => {
    if (services.isStopping) return
    view.stopping()
    const end = (): never => {
      view.close('stopped')
      process.exit(0)
    }
    stopAll().then(end, fail)
  }
  // SIGHUP: its terminal was closed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  const opened = await view.step('data store', firstStore(options, view))
  store = opened
  const storeUrl = opened.url
  if (!options.config.redisUrl)
    redis = await view.step('Redis', ownRedis(join(options.dataFolder, 'redis'), { ...view, isStopping: () => services.isStopping }))
  const base = { ...process.env, SOURCE_MODE: options.mode, DATA_DIR: options.dataFolder, PORT: String(options.port) }
  /** Keeps a process running. Later starts get the facts that it first reported. */
  const keep = async (
    kind: keyof typeof PROCESSES,
    env: Readonly<Record<string, string | undefined>>,
    { name = kind, args = () => [] }: { readonly name?: string; readonly args?: (first: StartedProcess | null) => string[] } = {},
  ): Promise<StartedProcess> => {
    const { script, flags, env: more, ...limits } = PROCESSES[kind]
    return await services.keep<StartedProcess>((first) => ({
      ...limits,
      name,
      script: join(import.meta.dirname, script),
      flags,
      args: args(first ?? null),
      // After a restart, the API and its metrics keep their addresses.
      env: {
        ...env,
        ...(kind === 'api' && first?.url ? { PORT: new URL(first.url).port } : {}),
        ...(first?.metrics ? { METRICS_PORT: new URL(first.metrics).port } : {}),
        ...more,
      },
    }))
  }
  try {
    const captures = options.captures === null ? [] : ['--captures', options.captures]
    const standIn: StartedProcess =
      options.mode === 'live' || options.only === 'api'
        ? {}
        : options.config.publishersUrl !== null
          ? { url: options.config.publishersUrl }
          : await view.step('publishers', keep('publishers', base, { args: (first) => [...captures, ...portsOf(first)] }))
    const { url: publishers = null, nmea = null } = standIn
    if (publishers) notePublishers(options.dataFolder, publishers)
    const env = {
      ...base,
      REDIS_URL: options.config.redisUrl ?? redis?.url,
      ...(publishers ? { PUBLISHERS_URL: publishers } : {}),
      ...(nmea && options.config.aisReceivers === null ? { AIS_RECEIVERS: nmea } : {}),
    }
    const { apiWorkers, host } = options.config
    // A shared port would not conflict with that of another program.
    if (apiWorkers > 1) await checkPort(host, options.port)
    const measured = (port: number | undefined) => (port === undefined ? {} : { METRICS_PORT: String(port) })
    // The board reads the metrics of the API; on any free port if the operator wants none.
    const apiPort = (at: number): number | undefined => ports?.api[at] ?? (view.isBoard ? 0 : undefined)
    const [ofApi, ofWorker] = await Promise.all([
      options.only === 'worker' ? null : view.step('API', keep('api', { ...env, ...measured(apiPort(0)) })),
      options.only === 'api' ? null : view.step('worker of the feeds', keep('worker', { ...env, ...measured(ports?.worker) })),
      options.only === 'api' ? null : view.step('delivery of webhooks', keep('deliver', env)),
    ])
    const metrics = [...(ofWorker ? [`${ofWorker.metrics} worker`] : []), ...(ofApi ? [`${ofApi.metrics} api`] : [])]
    const { url = null } = ofApi ?? {}
    const apiMetrics = [ofApi?.metrics ?? null]
    const show = (): void => {
      const where = { url, storeUrl, redisUrl: env.REDIS_URL ?? '', publishers, metrics: ports ? metrics : [] }
      view.ready({ url, metrics: apiMetrics.filter((one) => one !== null), lines: banner(options, where) })
    }
    if (url === null) return show()
    noteApi(options.dataFolder, url)
    const follow = (): Promise<void> => followArrivals(url, { store: opened, view, isStopping: () => services.isStopping })
    if (view.isBoard) void follow()
    for (let number = 2; number <= apiWorkers; number++) {
      const name = `api ${number}`
      const more = keep('api', { ...env, PORT: new URL(url).port, ...measured(apiPort(number - 1)) }, { name })
      const started = await view.step(`API, process ${number}`, more)
      metrics.push(`${started.metrics} ${name}`)
      apiMetrics.push(started.metrics ?? null)
    }
    await view.step('first incidents', firstData(url, view))
    show()
    if (!view.isBoard) void follow()
  } catch (error) {
    if (services.isStopping) return
    await stopAll()
    throw error
  }
}

/** Returns the options that keep the stand-in's addresses after a restart. */
function portsOf(first: StartedProcess | null): string[] {
  const options = (name: string, url: string | null | undefined): string[] => (url ? [name, new URL(url).port] : [])
  return [...options('--port', first?.url), ...options('--nmea-port', first?.nmea)]
}

/** Throws if the port is in use; 0 takes a free one. */
async function checkPort(host: string, port: number): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen({ host, port }, resolve))
  await new Promise((resolve) => probe.close(resolve))
}

/** Starts a redis-server, and restarts it if it dies. */
async function ownRedis(
  folder: string,
  { say, processState, isStopping }: Pick<StartView, 'say' | 'processState'> & { readonly isStopping: () => boolean },
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const report = (state: ProcessState['state'], pid: number | null): void => processState({ name: 'redis', state, pid })
  let server = await startRedis({ folder, appendOnly: true })
  report('running', server.pid)
  let starting: Promise<void> | null = null
  const startAgain = async (): Promise<void> => {
    report('down', null)
    say('redis-server died; starting it again')
    try {
      server = await startRedis({ folder, appendOnly: true })
      report('running', server.pid)
    } catch (error) {
      say((error as Error).message)
    }
    starting = null
  }
  const look = setInterval(() => {
    if (!isStopping() && !isAlive(server.pid)) starting ??= startAgain()
  }, REDIS_LOOK_MS)
  return {
    url: server.url,
    stop: async () => {
      clearInterval(look)
      await starting
      await server.stop()
    },
  }
}

/** Opens the data store and claims it for the mode, as soon as it answers. Errors that waiting does not mend are thrown. */
async function firstStore(options: StartOptions, view: StartView): Promise<ObjectStore> {
  for (let isReported = false; ; isReported = true) {
    try {
      const store = await openServiceStore(options.config)
      await claimLake(store, options.mode, Date.now())
      return store
    } catch (error) {
      if (!isUnreachable(error)) throw error
      if (!isReported) view.say(`the data store does not answer yet, waiting for it: ${String(error).slice(0, 300)}`)
      await sleep(STORE_RETRY_MS)
    }
  }
}

/** Waits until the API can answer the banner's suggestion, so that `ready` means a useful answer. */
async function firstData(url: string, view: StartView): Promise<void> {
  const end = Date.now() + FIRST_DATA_MS
  while (Date.now() < end) {
    const coming = await arrivals(url)
    if (coming && !coming.waiting_for.includes(FIRST_FEED)) return
    await sleep(200)
  }
  view.say('no incidents have come yet; see /api/freshness')
}

/** Which data has arrived, as `/ready` says; null if the API does not know. */
async function arrivals(url: string): Promise<Arrivals | null> {
  const answer = await readText(`${url}/ready`, READY_MS)
  const { waiting_for, landing, phase } = JSON.parse(answer ?? '{}') as Partial<Readiness>
  return waiting_for && landing && phase ? { waiting_for, landing, isLoading: phase === 'LOADING' } : null
}

/** Shows which data arrives, until all has. */
async function followArrivals(
  url: string,
  { store, view, isStopping }: { readonly store: ObjectStore; readonly view: StartView; readonly isStopping: () => boolean },
): Promise<void> {
  let seen = ''
  while (!isStopping()) {
    const coming = await arrivals(url)
    const now = JSON.stringify(coming)
    // Each read of the store costs money: only if something has arrived.
    if (coming !== null && now !== seen) {
      const feeds = await readFeedListings(store).catch(() => [])
      if (feeds.length > 0 && !isStopping() && view.arrived(feeds, coming)) return
      if (feeds.length > 0) seen = now
    }
    await sleep(COMING_MS, undefined, { ref: false })
  }
}

/** Returns the lines that introduce a running service. */
function banner(
  options: StartOptions,
  where: {
    /** Address of the API; null if only a worker runs. */
    readonly url: string | null
    readonly storeUrl: string
    readonly redisUrl: string
    readonly publishers: string | null
    /** Addresses of metrics, each with its process. */
    readonly metrics: readonly string[]
  },
): string[] {
  const { url } = where
  const keys = `curl -d '{"email":"you@example.org"}' -H 'Content-Type: application/json' ${url}/api/keys; scripts/keys grants plans`
  return [
    '',
    'Traffic Intelligence',
    `  source   ${MODE_LINES[options.mode]}`,
    ...(where.publishers ? [`           stand-in at ${where.publishers}`] : []),
    `  data     ${options.dataFolder}`,
    `  lake     ${where.storeUrl}/lake`,
    `  redis    ${where.redisUrl}`,
    ...where.metrics.map((address, at) => `  ${at === 0 ? 'metrics' : '       '}  ${address}`),
    ...(url === null ? ['ready worker'] : [`  try      curl '${url}${FIRST_TRY}'`, `  keys     ${keys}`, `ready ${url}`]),
  ]
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

await main().catch(fail)
