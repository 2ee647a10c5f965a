import { createWriteStream, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FeedListing } from '../../lake/live/freshness.ts'
import type { SourceMode } from '../../lake/system.ts'
import { say } from '../commands/output.ts'
import { figuresReader } from './api-figures.ts'
import { type BoardFacts, type BoardProcess, boardLines, durationText, type Step, shortList, type Warning } from './board.ts'
import { type ReadableWarning, readWarning } from './log-lines.ts'
import type { ProcessState } from './supervise.ts'

/** Which data is missing: feeds without a fetch, feeds that are not in their tables, and whether derived data is awaited. */
export interface Arrivals {
  readonly waiting_for: readonly string[]
  readonly landing: readonly string[]
  readonly isLoading: boolean
}

/** What is known once a service is ready. */
export interface Ready {
  /** Address of the API; null if only a worker runs. */
  readonly url: string | null
  /** Addresses of the metrics of the API processes. */
  readonly metrics: readonly string[]
  /** The lines that introduce the service where there is no board. */
  readonly lines: readonly string[]
}

/** Where a start shows its steps, the arriving data, its processes and their lines. */
export interface StartView {
  /** True for the board, which shows data that arrives before the service is ready. */
  readonly isBoard: boolean
  /** Shows what `scripts/start` itself has to report, such as a restart. */
  say(line: string): void
  /** Takes a line of a process: JSON logs and error texts. */
  processLine(line: string): void
  /** Takes the state of a process. */
  processState(state: ProcessState): void
  /** Shows a step while it runs, and its result. */
  step<T>(text: string, work: Promise<T>): Promise<T>
  /** Shows how many feeds are in their tables; returns true once all data has arrived. */
  arrived(feeds: readonly FeedListing[], coming: Arrivals): boolean
  /** Shows that the service is ready. */
  ready(facts: Ready): void
  /** Gives the terminal back while the processes stop. */
  stopping(): void
  /** Shows what happened. */
  close(outcome: 'stopped' | 'failed'): void
}

/** Size in bytes at which a log file of an earlier start is set aside, as `service.log.1`. */
const ROTATE_BYTES = 50_000_000
/** Pino's numbers of levels: what this process says, and what a process printed beside its log, such as the trace of an error. */
const [INFO, WARN, ERROR] = [30, 40, 50]
/** How often the board is drawn during the start and afterwards, and how often requests and memory are read, ms. */
const [START_DRAW_MS, DRAW_MS, READ_MS] = [250, 1000, 5000]
/** Kinds of warnings that are remembered, the most recent ones. */
const MAX_KINDS = 50
/** Alternate screen, no cursor, no wrapping, and back: see the control sequences of xterm. */
const [ENTER, LEAVE] = ['\x1b[?1049h\x1b[?25l\x1b[?7l', '\x1b[?7h\x1b[?25h\x1b[?1049l']
/** A frame is shown at once where the terminal can do that. */
const [BEGIN_FRAME, END_FRAME] = ['\x1b[?2026h\x1b[H', '\x1b[K\x1b[J\x1b[?2026l']
const ALL_ARRIVED = 'all data has arrived; archives that forecasts need follow in the background (backfill in /api/freshness)'

/** Opens the view: on a terminal the board, with the processes' lines in `<data>/logs/service.log`; else all lines. */
export function openStartView(options: {
  readonly dataFolder: string
  readonly mode: SourceMode
  readonly isTerminal: boolean
}): StartView {
  return options.isTerminal ? boardView(options) : plainView()
}

function plainView(): StartView {
  let said = Number.POSITIVE_INFINITY
  return {
    isBoard: false,
    say,
    processLine: say,
    processState: () => undefined,
    step: (_text, work) => work,
    arrived: (feeds, coming) => {
      const missing = missingOf(coming)
      if (missing.length > 0 && missing.length <= said / 2) {
        said = missing.length
        say(`coming   ${said} of ${feeds.length} feeds: ${missing.join(', ')}`)
      }
      const isWhole = missing.length === 0 && !coming.isLoading
      if (isWhole) say(ALL_ARRIVED)
      return isWhole
    },
    ready: ({ lines }) => say(lines.join('\n')),
    stopping: () => say('stopping ...'),
    close: () => undefined,
  }
}

/** The board of a terminal, see `board.ts`. It is drawn on the alternate screen: what was there before comes back afterwards. */
function boardView({ dataFolder, mode }: { readonly dataFolder: string; readonly mode: SourceMode }): StartView {
  const { stdout } = process
  const log = openLog(dataFolder)
  const steps: Step[] = []
  const processes = new Map<string, BoardProcess>()
  const warnings = new Map<string, Warning>()
  const facts: Mutable<Pick<BoardFacts, 'ready_at' | 'url' | 'feeds' | 'figures'>> = {
    ready_at: null,
    url: null,
    feeds: null,
    figures: null,
  }
  const began_at = Date.now()
  let isOpen = true
  const draw = (): void => {
    if (!isOpen) return
    const all = { ...facts, mode, began_at, steps, processes: [...processes.values()], warnings: [...warnings.values()], logFile: log.path }
    // A terminal that states no size has 0.
    const size = { columns: stdout.columns || 80, rows: stdout.rows || 24, isColoured: stdout.hasColors() }
    stdout.write(`${BEGIN_FRAME}${boardLines(all, size, Date.now()).join('\x1b[K\r\n')}${END_FRAME}`)
  }
  let timers = [setInterval(draw, START_DRAW_MS)]
  const leave = (): void => {
    if (!isOpen) return
    isOpen = false
    for (const timer of timers) clearInterval(timer)
    stdout.off('resize', draw)
    stdout.write(LEAVE)
  }
  const warn = ({ kind, text, count }: ReadableWarning): void => {
    const before = warnings.get(kind)
    warnings.delete(kind)
    warnings.set(kind, { text, at: Date.now(), count: (before?.count ?? 0) + count })
    const [oldest = ''] = warnings.keys()
    if (warnings.size > MAX_KINDS) warnings.delete(oldest)
  }
  stdout.write(ENTER)
  stdout.on('resize', draw)
  process.once('exit', leave)
  draw()
  return {
    isBoard: true,
    say: (line) => {
      log.text(line, WARN)
      warn({ kind: line.replace(/[\d.]+/g, '#'), text: line, count: 1 })
    },
    processLine: (line) => {
      if (line.startsWith('{')) log.line(line)
      else log.text(line, ERROR)
      const warning = readWarning(line)
      if (warning) warn(warning)
    },
    processState: (state) => {
      const { restarts = 0 } = processes.get(state.name) ?? {}
      processes.set(state.name, { ...state, memory_mb: memoryOf(state.pid), restarts: restarts + Number(state.state === 'down') })
    },
    step: async (text, work) => {
      const step: Step = { text, began_at: Date.now(), ended_at: null, isFailed: false }
      steps.push(step)
      try {
        return await work
      } catch (error) {
        step.isFailed = true
        throw error
      } finally {
        step.ended_at = Date.now()
        log.text(`${text}: ${step.isFailed ? 'failed' : 'done'} after ${durationText(step.ended_at - step.began_at)}`, INFO)
      }
    },
    arrived: (feeds, coming) => {
      const total = feeds.filter(({ enabled }) => enabled).length
      const missing = missingOf(coming)
      const isWhole = missing.length === 0 && !coming.isLoading
      facts.feeds = { done: total - missing.length, total, next: isWhole ? null : nextOf(coming) }
      if (isWhole) log.text(ALL_ARRIVED, INFO)
      return isWhole
    },
    ready: ({ url, metrics, lines }) => {
      Object.assign(facts, { url, ready_at: Date.now() })
      for (const line of lines) log.text(line, INFO)
      for (const timer of timers) clearInterval(timer)
      const readFigures = figuresReader(metrics)
      const read = async (): Promise<void> => {
        for (const [name, process] of processes) processes.set(name, { ...process, memory_mb: memoryOf(process.pid) })
        if (url !== null) facts.figures = await readFigures()
      }
      timers = [setInterval(draw, DRAW_MS), setInterval(read, READ_MS)]
      void read().then(draw)
    },
    stopping: () => {
      leave()
      say('stopping ...')
    },
    close: (outcome) => {
      leave()
      if (outcome === 'failed') for (const { text } of warnings.values()) process.stderr.write(`${text}\n`)
      const { feeds, figures } = facts
      const happened = [
        ...(feeds ? [`${feeds.done} of ${feeds.total} feeds arrived`] : []),
        ...(figures ? [`${figures.requests} requests`] : []),
        warnings.size === 0 ? 'no warnings' : `${warnings.size} ${warnings.size === 1 ? 'kind' : 'kinds'} of warnings`,
      ]
      say(`${outcome} after ${durationText(Date.now() - began_at)}: ${happened.join(', ')}`)
      say(`log   ${log.path}`)
      if (outcome === 'stopped') say(`next  ${['scripts/start', ...process.argv.slice(2)].join(' ')} continues with the same data`)
    },
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Opens the log file of the processes; a large one of earlier starts is set aside. */
function openLog(dataFolder: string): { readonly path: string; line(line: string): void; text(msg: string, level: number): void } {
  const folder = join(dataFolder, 'logs')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'service.log')
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (size > ROTATE_BYTES) renameSync(path, `${path}.1`)
  const file = createWriteStream(path, { flags: 'a' })
  // A full disk must not end the service because of its log.
  file.on('error', () => undefined)
  return {
    path,
    line: (line) => file.write(`${line}\n`),
    text: (msg, level) => file.write(`${JSON.stringify({ level, time: Date.now(), name: 'start', msg })}\n`),
  }
}

const missingOf = ({ waiting_for, landing }: Arrivals): readonly string[] => [...waiting_for, ...landing]

/** What is awaited, in words. */
function nextOf({ waiting_for, landing }: Arrivals): string {
  if (waiting_for.length > 0) return `waiting for ${shortList(waiting_for)}`
  return landing.length > 0 ? `storing ${shortList(landing)}` : 'deriving statistics, hotspots and forecasts from them'
}

/** Resident memory of a process in MB, see proc(5); null where it cannot be read. */
function memoryOf(pid: number | null): number | null {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024) || null
  } catch {
    return null
  }
}
