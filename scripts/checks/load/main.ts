import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLine, say } from '../../commands/output.ts'
import { atExit, exitBy, folderUntilExit } from '../run.ts'
import { busyLoops, firstHour } from './first-hour.ts'
import {
  type FeedSample,
  judge,
  judgeWorkers,
  LIMITS,
  metricOf,
  type Sample,
  SHARED,
  type Verdict,
  type WorkersFigures,
} from './verdict.ts'
import { measureWorkers } from './workers.ts'

const USAGE = `scripts/check-load [--minutes n] [--warm-up n] [--json]
scripts/check-load --first-hour [--minutes 15] [--busy 2]
scripts/check-load --workers 1,2,4 [--minutes 5] [--warm-up 20]

Starts the service with simulated publishers of all feeds at full scale, waits until every feed has arrived and the archives are
loaded, then measures the worker. Exit code 1 if it takes more than ${LIMITS.memory_mb} MB or ${LIMITS.cpu_pct} % of a core, or a feed is late: not
fetched for twice its cadence, or STALE or DOWN.
Run it on a machine without other work: the stand-in and the API need the other core.
With --first-hour it starts the service anew beside busy loops, and fails unless every row of the specification's catalogue answers
with data within the minutes.
With --workers it runs so many workers and one API over one small world and counts what each fetch is parsed and what the object
store is asked. It fails above ${SHARED.parses_per_fetch} parses for each fetch, ${SHARED.requests_min} requests a minute of one worker, or ${SHARED.per_landing} times its requests for each
landing with more workers.
  --minutes n   length of the measurement (60; 15 with --first-hour, 5 with --workers)
  --busy n      cores that are kept busy with --first-hour (2); run it by 'nice -n 19' to have the service wait for them
  --warm-up n   longest wait before it, in minutes (10; 20 with --workers, and then a landing); what has not arrived counts as late
  --json        the result as one line of JSON`
const START = join(import.meta.dirname, '../../service/start.ts')
const SAMPLE_MS = 5000
/** Without a key, /api/freshness answers five requests a minute. */
const WARM_UP_LOOK_MS = 20_000
const STOP_WITHIN_MS = 20_000

await exitBy(main)

/** Measures a service; true if it is within its limits. */
async function main(): Promise<boolean> {
  const options = {
    minutes: { type: 'string' },
    'first-hour': { type: 'boolean', default: false },
    busy: { type: 'string', default: '2' },
    workers: { type: 'string' },
    'warm-up': { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const
  const line = await commandLine({ usage: USAGE, options })
  if (!line) return true
  const { args, values } = line
  if (args.length > 0) throw new Error(`${args.join(' ')}: no arguments are expected`)
  const isFirstHour = values['first-hour']
  const [minutes, warmUp] = [
    minutesOf('--minutes', values.minutes ?? (isFirstHour ? '15' : values.workers ? '5' : '60')),
    minutesOf('--warm-up', values['warm-up'] ?? (values.workers ? '20' : '10')),
  ]
  const folder = await folderUntilExit('load-')
  if (values.workers !== undefined) {
    const found: WorkersFigures[] = []
    for (const workers of numbersOf('--workers', values.workers)) {
      found.push(await measureWorkers(join(folder, `${workers}`), { workers, minutes, warmUp }))
      say(JSON.stringify(found.at(-1)))
    }
    const failures = judgeWorkers(found)
    for (const one of failures) say(`FAILED: ${one}`)
    return failures.length === 0
  }
  const stopLoops = isFirstHour ? busyLoops(Number(values.busy)) : () => undefined
  const service = startService(folder)
  try {
    const addresses = await service.ready
    if (isFirstHour) {
      const never = await firstHour(addresses.url, { dataFolder: join(folder, 'data'), minutes })
      for (const one of never) say(`FAILED: ${one}`)
      if (never.length === 0) say('passed: every row of the catalogue has answered')
      return never.length === 0
    }
    const begun = Date.now()
    while (Date.now() - begun < 60_000 * warmUp && !(await isLoaded(addresses.url))) await sleep(WARM_UP_LOOK_MS)
    if (!values.json) say(`warmed up for ${Math.round((Date.now() - begun) / 1000)} s; measuring for ${minutes} min`)
    const verdict = judge(await sampled(addresses, 60_000 * minutes))
    say(values.json ? JSON.stringify(verdict) : textOf(verdict))
    return verdict.failures.length === 0
  } finally {
    stopLoops()
    await service.stop()
  }
}

function numbersOf(option: string, text: string): number[] {
  const numbers = text.split(',').map(Number)
  if (numbers.some((one) => !Number.isInteger(one) || one < 1 || one > 16))
    throw new Error(`${option} ${text}: expected whole numbers from 1 to 16, separated by commas`)
  return numbers
}

function minutesOf(option: string, text: string): number {
  const minutes = Number(text)
  if (!(minutes > 0 && minutes <= 1440)) throw new Error(`${option} ${text}: expected minutes, more than 0 and at most 1440`)
  return minutes
}

/** Where the service and the metrics of its worker answer. */
interface Addresses {
  readonly url: string
  readonly metrics: string
}

/** Starts the service with its data in a folder. `ready` throws if it ends first. */
function startService(folder: string): { readonly ready: Promise<Addresses>; stop(): Promise<void> } {
  const child = spawn(process.execPath, [START, '--port', '0', '--data', join(folder, 'data')], {
    env: { ...process.env, METRICS_PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const callOff = atExit(() => void child.kill('SIGTERM'))
  return {
    ready: addressesOf(child, ended),
    async stop() {
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
      await ended
      clearTimeout(late)
      callOff()
    },
  }
}

async function addressesOf(child: ChildProcess, ended: Promise<void>): Promise<Addresses> {
  const lines: string[] = []
  const found = new Promise<Addresses>((resolve) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      lines.push(line)
      const url = /^ready (http\S+)$/.exec(line)?.[1]
      const worker = lines.flatMap((one) => /(http\S+) worker$/.exec(one)?.[1] ?? [])[0]
      if (url && worker) resolve({ url, metrics: new URL('/metrics', worker).href })
    })
  })
  const failed = ended.then((): never => {
    throw new Error(`the service ended before it was ready: ${lines.slice(-3).join(' | ')}`)
  })
  // Once it is ready, its end is no failure of the start.
  failed.catch(() => {})
  return await Promise.race([found, failed])
}

/** True once every enabled feed has arrived and the archives of the background are loaded. */
async function isLoaded(url: string): Promise<boolean> {
  const { waiting_for } = await json<{ readonly waiting_for: readonly string[] | null }>(`${url}/ready`)
  if (waiting_for?.length !== 0) return false
  const { feeds } = await json<{
    readonly feeds: readonly { readonly backfill: { readonly files: number; readonly present: number } | null }[]
  }>(`${url}/api/freshness`)
  return feeds.every(({ backfill }) => backfill === null || backfill.present >= backfill.files)
}

async function sampled({ url, metrics }: Addresses, length_ms: number): Promise<Sample[]> {
  const samples: Sample[] = []
  const end = Date.now() + length_ms
  for (;;) {
    const [text, { feeds }] = await Promise.all([
      fetch(metrics).then((reply) => reply.text()),
      json<{ readonly feeds: readonly FeedSample[] }>(`${url}/status?format=json`),
    ])
    samples.push({
      at: Date.now(),
      cpu_s: metricOf(text, 'process_cpu_seconds_total'),
      memory_mb: metricOf(text, 'process_resident_memory_bytes') / 1e6,
      heap_mb: metricOf(text, 'nodejs_heap_size_total_bytes') / 1e6,
      started_s: metricOf(text, 'process_start_time_seconds'),
      feeds: feeds.map(({ id, enabled, health, cadence_s, last_success_at }) => ({ id, enabled, health, cadence_s, last_success_at })),
    })
    if (Date.now() >= end) return samples
    await sleep(Math.min(SAMPLE_MS, Math.max(1, end - Date.now())))
  }
}

async function json<T>(url: string): Promise<T> {
  const reply = await fetch(url)
  return (await reply.json()) as T
}

function textOf({ minutes, feeds, memory_mb, peak_min, heap_mb, cpu_pct, failures }: Verdict): string {
  const figures = `${feeds} feeds for ${minutes} min: worker at most ${memory_mb} MB (minute ${peak_min}, heap ${heap_mb} MB, limit ${LIMITS.memory_mb}), ${cpu_pct} % of a core (limit ${LIMITS.cpu_pct})`
  return [figures, ...(failures.length === 0 ? ['passed: no feed was late'] : failures.map((one) => `FAILED: ${one}`))].join('\n')
}
