import { createWriteStream, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MultiBar, Presets, type SingleBar } from 'cli-progress'
import type { FeedListing } from '../../lake/live/freshness.ts'
import { say } from './output.ts'

/** Where a start shows its steps, the arriving data, and the lines of its processes. */
export interface StartView {
  /** Shows a line of `scripts/start` itself. */
  say(line: string): void
  /** Takes a line of a process: JSON logs and error texts. */
  processLine(line: string): void
  /** Shows a finished step with the time since the start. */
  step(text: string): void
  /** Shows how many feeds have arrived, and each domain once all of its feeds have. */
  arrived(feeds: readonly FeedListing[], waitingFor: readonly string[]): void
  /** Ends the progress bar. */
  close(): void
  /** The file with the processes' lines; null if they are printed. */
  readonly logFile: string | null
}

/** Size in bytes at which a log file of an earlier start is set aside, as `service.log.1`. */
const ROTATE_BYTES = 50_000_000

/** Opens the view: in a terminal steps and a progress bar, with the processes' lines in `<data>/logs/service.log`; else all lines. */
export function openStartView({ dataFolder, isTerminal }: { readonly dataFolder: string; readonly isTerminal: boolean }): StartView {
  return isTerminal ? terminalView(join(dataFolder, 'logs')) : plainView()
}

function plainView(): StartView {
  let said = Number.POSITIVE_INFINITY
  return {
    say,
    processLine: say,
    step: () => undefined,
    arrived: (feeds, waitingFor) => {
      if (said === 0 || (waitingFor.length > 0 && waitingFor.length > said / 2)) return
      said = waitingFor.length
      const ofAll = `${waitingFor.length} of ${feeds.length} feeds`
      say(said === 0 ? ALL_ARRIVED : `coming   ${ofAll}: ${waitingFor.join(', ')}`)
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
      log.write(`${line}\n`)
      show(line)
    },
    processLine: (line) => void log.write(`${line}\n`),
    step,
    arrived: (feeds, waitingFor) => {
      const enabled = feeds.filter((feed) => feed.enabled)
      if (whole.size === 0 && waitingFor.length === 0) return
      for (const [domain, own] of Map.groupBy(enabled, (feed) => feed.domain)) {
        if (whole.has(domain) || own.some(({ id }) => waitingFor.includes(id))) continue
        whole.add(domain)
        step(`${domain}: ${own.length === 1 ? 'its feed has' : `all ${own.length} feeds have`} arrived`)
      }
      if (waitingFor.length === 0) {
        close()
        return step(ALL_ARRIVED)
      }
      bars ??= openBar(enabled.length)
      bars.bar.update(enabled.length - waitingFor.length, { waiting: shortList(waitingFor) })
    },
    close,
    logFile,
  }
}

const ALL_ARRIVED = 'all data has arrived; archives that forecasts need follow in the background (backfill in /api/freshness)'
const LISTED = 3

function shortList(ids: readonly string[]): string {
  return `${ids.slice(0, LISTED).join(', ')}${ids.length > LISTED ? ' …' : ''}`
}

function openBar(total: number): { readonly all: MultiBar; readonly bar: SingleBar } {
  const format = '          {bar} {value}/{total} feeds, waiting for {waiting}'
  const all = new MultiBar({ format, barsize: 24, hideCursor: true, fps: 4, gracefulExit: false }, Presets.shades_classic)
  return { all, bar: all.create(total, 0, { waiting: '' }) }
}
