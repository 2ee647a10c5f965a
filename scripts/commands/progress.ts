import { type DestinationStream, pino } from 'pino'
import { barText, durationText } from '../service/board.ts'
import { readWarning } from '../service/log-lines.ts'
import { say } from './output.ts'

/** Work that is shown while it is done. */
export interface Progress {
  /** How much is done, in the unit of the progress. */
  readonly done: number
  /** Sets the total, once it is known. */
  expect(total: number): void
  /** Counts what was done, with a note that is shown behind it. */
  add(count: number, note?: string): void
  end(): void
}

/** What is counted. */
export interface Counted {
  readonly unit: string
  /** Null if it is not known: then only the count and its rate are shown. */
  readonly total: number | null
  /** True to print a line for each tenth where there is no terminal. */
  readonly hasLines?: boolean
}

/** The end of a command: its result as lines and as JSON, and commands or addresses to go on with. */
export interface Summary {
  readonly lines: readonly string[]
  readonly facts: Readonly<Record<string, unknown>>
  readonly next: readonly string[]
}

/** How a long command reports: bars on a terminal, lines without one, and with `--json` objects. */
export interface Report {
  start(what: string, counted: Counted): Progress
  /** Prints a result, as a line or with `--json` as an object, if it has facts. */
  print(line: string, facts?: object): void
  finish(summary: Summary): void
}

/** How far some work is. */
interface ProgressState extends Omit<Counted, 'hasLines'> {
  done: number
  total: number | null
  elapsed_ms: number
  note: string
}

/** Shows a change of a progress, or its end. */
type Show = (state: ProgressState, isEnd: boolean) => void

const DRAW_MS = 250
const JSON_MS = 5000
/** Less work shows no lines where there is no terminal. */
const LEAST_LINES = 10
const [LEAST_BAR, MOST_BAR] = [8, 30]
const { stderr } = process
const isTerminal = stderr.isTTY === true && process.env['TERM'] !== 'dumb'

/** The line at the bottom of the terminal; null if there is none. */
let drawn: (() => void) | null = null

/** Opens the report of a command. Progress goes to the standard error, results to the standard output. */
export function openReport(command: string, isJson: boolean): Report {
  return {
    start: (what, { unit, total, hasLines = false }) => {
      const show = isJson ? showJson : isTerminal ? showBar : hasLines ? showLines : () => () => undefined
      return startProgress({ unit, done: 0, total, elapsed_ms: 0, note: '' }, show(what))
    },
    print: (line, facts) => {
      if (isJson) return facts && say(JSON.stringify(facts))
      if (drawn) stderr.write('\r\x1b[K')
      say(line)
      drawn?.()
    },
    finish: ({ lines, facts, next }) => {
      if (isJson) return say(JSON.stringify({ event: 'summary', command, ...facts, next }))
      for (const line of lines) say(line)
      if (!isTerminal) return
      for (const [at, line] of next.entries()) stderr.write(`${at === 0 ? '\nNext:' : '     '} ${line}\n`)
    },
  }
}

/** Returns where a command's log goes: on a terminal its warnings are shown above the progress, else its lines are printed. */
export function commandLog(): DestinationStream {
  if (!isTerminal || process.argv.includes('--json')) return pino.destination(1)
  return {
    write: (line) => {
      const warning = readWarning(line)
      if (!warning) return
      stderr.write(`${drawn ? '\r\x1b[K' : ''}warning: ${warning.text}\n`)
      drawn?.()
    },
  }
}

/** Returns the line of a progress for a terminal of a width. */
export function progressLine(what: string, { done, total, unit, elapsed_ms, note }: ProgressState, columns: number): string {
  const per_s = perSecond(done, elapsed_ms)
  const left = leftMs({ done, total, per_s })
  const facts = [
    `${countText(done)}${total === null ? '' : ` of ${countText(total)}`} ${unit}`,
    ...(per_s > 0 ? [per_s >= 1 ? `${countText(per_s)}/s` : `${countText(per_s * 60)}/min`] : []),
    ...(left === null || left === 0 ? [durationText(elapsed_ms)] : [`${durationText(left)} left`]),
    ...(note === '' ? [] : [note]),
  ].join(' · ')
  const width = Math.min(MOST_BAR, columns - what.length - facts.length - 5)
  const bar = total === null || width < LEAST_BAR ? '' : `${barText(total === 0 ? 1 : done / total, width).join('')}  `
  return `${what}  ${bar}${facts}`.slice(0, columns - 1)
}

const perSecond = (done: number, elapsed_ms: number): number => (elapsed_ms < 1000 ? 0 : (1000 * done) / elapsed_ms)

/** Time until the end at the mean rate, ms; null if it is not known. */
function leftMs({ done, total, per_s }: { readonly done: number; readonly total: number | null; readonly per_s: number }): number | null {
  return total === null || per_s === 0 ? null : (1000 * Math.max(0, total - done)) / per_s
}

function countText(count: number): string {
  return count.toLocaleString('en', { maximumFractionDigits: count < 100 ? 1 : 0 })
}

function startProgress(state: ProgressState, show: Show): Progress {
  const began = performance.now()
  const update = (isEnd: boolean): void => {
    state.elapsed_ms = performance.now() - began
    show(state, isEnd)
  }
  // The time goes on while one file takes long.
  const timer = setInterval(update, 2 * DRAW_MS, false).unref()
  update(false)
  return {
    get done() {
      return state.done
    },
    expect: (total) => {
      Object.assign(state, { total, note: '' })
      update(false)
    },
    add: (count, note = state.note) => {
      state.done += count
      state.note = note
      update(false)
    },
    end: () => {
      clearInterval(timer)
      update(true)
    },
  }
}

function showBar(what: string): Show {
  let shown_ms = Number.NEGATIVE_INFINITY
  return (state, isEnd) => {
    if (!isEnd && state.elapsed_ms - shown_ms < DRAW_MS) return
    shown_ms = state.elapsed_ms
    drawn = (): void => void stderr.write(`\r${progressLine(what, state, stderr.columns || 80)}\x1b[K`)
    drawn()
    if (!isEnd) return
    stderr.write('\n')
    drawn = null
  }
}

function showLines(what: string): Show {
  let shown = 0
  return ({ done, total, unit }, isEnd) => {
    if (total === null || total < LEAST_LINES || done === shown) return
    if (!isEnd && (done >= total || done < shown + total / 10)) return
    shown = done
    stderr.write(`${what}: ${countText(done)} of ${countText(total)} ${unit}\n`)
  }
}

function showJson(what: string): Show {
  let shown_ms = Number.NEGATIVE_INFINITY
  return ({ done, total, unit, elapsed_ms }, isEnd) => {
    if (!isEnd && elapsed_ms - shown_ms < JSON_MS) return
    shown_ms = elapsed_ms
    const per_s = perSecond(done, elapsed_ms)
    const left_ms = leftMs({ done, total, per_s })
    const rates = { per_s: Number(per_s.toPrecision(3)), left_s: left_ms === null ? null : Math.round(left_ms / 1000) }
    stderr.write(`${JSON.stringify({ event: 'progress', what, unit, done, total, ...rates })}\n`)
  }
}
