import { createWriteStream, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MultiBar, Presets, type SingleBar } from 'cli-progress'
import type { FeedListing } from '../../lake/live/freshness.ts'
import { say } from '../commands/output.ts'

/** Which data is missing: feeds without a fetch, feeds that are not in their tables, and whether derived data is awaited. */
export interface Arrivals {
  readonly waiting_for: readonly string[]
  readonly landing: readonly string[]
  readonly isLoading: boolean
}

/** Where a start shows its steps, the arriving data, and the lines of its processes. */
export interface StartView {
  /** Shows a line of `scripts/start` itself. */
  say(line: string): void
  /** Takes a line of a process: JSON logs and error texts. */
  processLine(line: string): void
  /** Shows a finished step with the time since the start. */
  step(text: string): void
  /** Shows how many feeds are in their tables, and each domain once all of its feeds are; true once all data has arrived. */
  arrived(feeds: readonly FeedListing[], coming: Arrivals): boolean
  /** Ends the progress bar. */
  close(): void
  /** The file with the processes' lines; null if they are printed. */
  readonly logFile: string | null
}

/** Size in bytes at which a log file of an earlier start is set aside, as `service.log.1`. */
const ROTATE_BYTES = 50_000_000

/** Pino's numbers of levels: what this process says, and what a process printed beside its log, such as the trace of an error. */
const [INFO, ERROR] = [30, 50]

/** Returns a line of text as one of the JSON log. */
function jsonLine(msg: string, level: number): string {
  return `${JSON.stringify({ level, time: Date.now(), name: 'start', msg })}\n`
}

/**
 * Opens the view: in a terminal steps and a progress bar, with the processes' lines in `<data>/logs/service.log`; else all lines.
 */
export function openStartView({ dataFolder, isTerminal }: { readonly dataFolder: string; readonly isTerminal: boolean }): StartView {
  return isTerminal ? terminalView(join(dataFolder, 'logs')) : plainView()
}

function plainView(): StartView {
  let said = Number.POSITIVE_INFINITY
  return {
    say,
    processLine: say,
    step: () => undefined,
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
    close: () => undefined,
    logFile: null,
  }
}

function terminalView(folder: string): StartView {
  mkdirSync(folder, { recursive: true })
  const logFile = join(folder, 'service.log')
  const { size = 0 } = statSync(logFile, { throwIfNoEntry: false }) ?? {}
  if (size > ROTATE_BYTES) renameSync(logFile, `${logFile}.1`)
  const log = createWriteStream(logFile, { flags: 'a' })
  // A full disk must not end the service because of its log.
  log.on('error', () => undefined)
  const began = performance.now()
  let bars: { readonly all: MultiBar; readonly bar: SingleBar } | null = null
  const whole = new Set<string>()
  const show = (line: string): void => {
    if (bars) bars.all.log(`${line}\n`)
    else say(line)
  }
  const step = (text: string): void => show(`  ${`${Math.round((performance.now() - began) / 1000)} s`.padStart(6)}  ${text}`)
  const close = (): void => {
    bars?.all.stop()
    bars = null
  }
  return {
    say: (line) => {
      log.write(jsonLine(line, INFO))
      show(line)
    },
    processLine: (line) => void log.write(line.startsWith('{') ? `${line}\n` : jsonLine(line, ERROR)),
    step,
    arrived: (feeds, coming) => {
      const enabled = feeds.filter((feed) => feed.enabled)
      const missing = missingOf(coming)
      // Nothing is new to those who start it again.
      if (whole.size === 0 && missing.length === 0) return true
      for (const [domain, own] of Map.groupBy(enabled, (feed) => feed.domain)) {
        if (whole.has(domain) || own.some(({ id }) => missing.includes(id))) continue
        whole.add(domain)
        step(`${domain}: ${own.length === 1 ? 'its feed has' : `all ${own.length} feeds have`} arrived`)
      }
      if (missing.length === 0 && !coming.isLoading) {
        close()
        step(ALL_ARRIVED)
        return true
      }
      bars ??= openBar(enabled.length)
      bars.bar.update(enabled.length - missing.length, { next: nextOf(coming) })
      return false
    },
    close,
    logFile,
  }
}

const ALL_ARRIVED = 'all data has arrived; archives that forecasts need follow in the background (backfill in /api/freshness)'
const LISTED = 3

const missingOf = ({ waiting_for, landing }: Arrivals): readonly string[] => [...waiting_for, ...landing]

/** What the bar waits for, in words. */
function nextOf({ waiting_for, landing }: Arrivals): string {
  if (waiting_for.length > 0) return `waiting for ${shortList(waiting_for)}`
  return landing.length > 0 ? `storing ${shortList(landing)}` : 'deriving statistics, hotspots and forecasts from them'
}

function shortList(ids: readonly string[]): string {
  return `${ids.slice(0, LISTED).join(', ')}${ids.length > LISTED ? ' …' : ''}`
}

function openBar(total: number): { readonly all: MultiBar; readonly bar: SingleBar } {
  const format = '          {bar} {value}/{total} feeds, {next}'
  const all = new MultiBar(
    { format, barsize: 24, hideCursor: true, fps: 4, gracefulExit: false, clearOnComplete: true },
    Presets.shades_classic,
  )
  return { all, bar: all.create(total, 0, { next: '' }) }
}
