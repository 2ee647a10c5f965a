import { styleText } from 'node:util'
import type { SourceMode } from '../../lake/system.ts'
import type { ApiFigures } from './api-figures.ts'
import type { ProcessState } from './supervise.ts'

/** A step of a start. Instants in ms since the epoch. */
export interface Step {
  readonly text: string
  readonly began_at: number
  ended_at: number | null
  isFailed: boolean
}

/** Warnings of one kind: the newest text, its instant (ms) and how often it came. */
export interface Warning {
  readonly text: string
  readonly at: number
  readonly count: number
}

/** A process, and how often it was started again. */
export interface BoardProcess extends ProcessState {
  readonly restarts: number
  /** Resident memory; null where it cannot be read. */
  readonly memory_mb: number | null
}

/** What the board shows. Instants in ms since the epoch. */
export interface BoardFacts {
  readonly mode: SourceMode
  readonly began_at: number
  readonly ready_at: number | null
  /** Address of the API; null until it runs, or if only a worker does. */
  readonly url: string | null
  readonly steps: readonly Step[]
  readonly processes: readonly BoardProcess[]
  /** Feeds in their tables, and what is awaited, in words; null before the first. */
  readonly feeds: { readonly done: number; readonly total: number; readonly next: string | null } | null
  readonly figures: ApiFigures | null
  /** The newest last. */
  readonly warnings: readonly Warning[]
  readonly logFile: string
}

/** Where the board is drawn. */
export interface BoardSize {
  readonly columns: number
  readonly rows: number
  readonly isColoured: boolean
}

type Style = Parameters<typeof styleText>[0]
type Segment = string | readonly [text: string, style: Style]
type Line = readonly Segment[]

const MODES = {
  simulated: 'simulated publishers: generated, not the real world',
  replay: 'replay of recorded captures: real, but of the past',
  live: "live: from the publishers' own addresses",
} as const
/** The request that a start suggests. */
export const FIRST_TRY = '/api/incidents?province=Madrid'

const LABEL = 12
const STEP = 24
const BAR = 24
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const SPIN_MS = 250
const LISTED = 3
const MAX_WARNINGS = 4

/** Returns the lines of the board, each as wide as the terminal at most and fewer than its rows. */
export function boardLines(facts: BoardFacts, size: BoardSize, now: number): string[] {
  const height = size.rows - 1
  const [head, body, foot] = [
    headOf(facts, size, now),
    facts.ready_at === null ? stepLines(facts, now) : factLines(facts, size),
    footOf(facts),
  ]
  const used = head.length + body.length + foot.length
  const warnings = warningLines(facts, now, Math.min(MAX_WARNINGS, height - used - 1))
  const lines = [...head, ...body, ...warnings, ...foot]
  // A low terminal loses the empty lines first.
  const shown = lines.length > height ? lines.filter((line) => line.length > 0) : lines
  return shown.slice(0, Math.max(1, height)).map((line) => paint(line, size))
}

/** Returns a bar of a width for a share from 0 to 1. */
export function barText(share: number, width: number): readonly [full: string, empty: string] {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return ['█'.repeat(full), '░'.repeat(width - full)]
}

/** Returns a duration in words: 48 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function durationText(duration_ms: number): string {
  const s = Math.max(0, Math.round(duration_ms / 1000))
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min${s < 600 && s % 60 > 0 ? ` ${s % 60} s` : ''}`
  const hours = Math.floor(s / 3600)
  return hours < 24 ? `${hours} h ${Math.floor((s % 3600) / 60)} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** Returns the first of some names, with dots if there are more. */
export function shortList(ids: readonly string[]): string {
  return `${ids.slice(0, LISTED).join(', ')}${ids.length > LISTED ? ' …' : ''}`
}

function headOf({ url, ready_at, began_at }: BoardFacts, { columns }: BoardSize, now: number): Line[] {
  const state: Segment[] =
    ready_at === null ? [['starting', 'yellow']] : [['ready', 'green'], ...(url === null ? [' worker'] : [' ', [url, 'cyan'] as const])]
  const time = ready_at === null ? durationText(now - began_at) : `up ${durationText(now - ready_at)}`
  const left: Line = [' ', ['Traffic Intelligence', 'bold'], '  ', ...state]
  const gap = columns - widthOf(left) - time.length - 1
  return [[], gap < 2 ? left : [...left, ' '.repeat(gap), [time, 'dim']], []]
}

function stepLines({ steps, feeds }: BoardFacts, now: number): Line[] {
  const spinner = SPINNER[Math.floor(now / SPIN_MS) % SPINNER.length] as string
  const lines = steps.map(({ text, began_at, ended_at, isFailed }): Line => {
    const mark: Segment = isFailed ? ['✖', 'red'] : ended_at === null ? [spinner, 'cyan'] : ['✔', 'green']
    return [' ', mark, ` ${text.padEnd(STEP)}`, [durationText((ended_at ?? now) - began_at), 'dim']]
  })
  return [...lines, ...(feeds ? [[], feedsLine(feeds, null)] : [])]
}

function factLines(facts: BoardFacts, { columns }: BoardSize): Line[] {
  const { mode, url, processes, feeds, figures } = facts
  const link = (name: string, path: string): Line => labelled(name, [[`${url}${path}`, 'cyan']])
  return [
    labelled('Data', [MODES[mode]]),
    ...(url === null
      ? []
      : [link('Map', '/map'), link('Docs', '/docs'), link('Keys', '/#key'), labelled('Try', [`curl '${url}${FIRST_TRY}'`])]),
    [],
    ...processLines(processes, columns),
    // Captures are from the past: all would be late.
    ...(feeds ? [feedsLine(feeds, mode === 'replay' ? null : figures)] : []),
    ...(figures ? [requestsLine(figures)] : []),
  ]
}

/** The processes in as many lines as they need. */
function processLines(processes: readonly BoardProcess[], columns: number): Line[] {
  const lines: Segment[][] = [[]]
  for (const { name, state, memory_mb, restarts } of processes) {
    const colour = state === 'running' ? 'green' : state === 'starting' ? 'yellow' : 'red'
    const notes = [
      ...(state === 'running' ? (memory_mb === null ? [] : [`${memory_mb} MB`]) : [state]),
      ...(restarts > 0 ? [`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`] : []),
    ]
    const own: Segment[] = [['● ', colour], name, [notes.map((note) => `  ${note}`).join(''), state === 'running' ? 'dim' : colour]]
    const last = lines.at(-1) as Segment[]
    if (last.length === 0) last.push(...own)
    else if (LABEL + widthOf(last) + 4 + widthOf(own) < columns) last.push('    ', ...own)
    else lines.push(own)
  }
  return lines.map((line, at) => labelled(at === 0 ? 'Processes' : '', line))
}

function feedsLine({ done, total, next }: NonNullable<BoardFacts['feeds']>, figures: ApiFigures | null): Line {
  const late = next === null ? (figures?.late ?? []) : []
  const shown = next === null ? total - late.length : done
  const [full, empty] = barText(total === 0 ? 1 : shown / total, BAR)
  const bar: Segment[] = [[full, late.length > 0 ? 'yellow' : 'green'], [empty, 'dim'], `  ${shown} of ${total}`]
  const words = next ?? (late.length > 0 ? `late: ${shortList(late)}` : figures?.late ? 'all on time' : 'all have arrived')
  return labelled('Feeds', [...bar, [`  ${words}`, late.length > 0 ? 'yellow' : 'dim']])
}

function requestsLine({ lastMinute: { requests, failed, refused } }: ApiFigures): Line {
  const share = (count: number): string => `${count === 0 ? 0 : Math.max(0.1, Math.round((1000 * count) / requests) / 10)} %`
  const shares: Segment[] =
    requests === 0
      ? []
      : [
          [`  ${share(failed)} failed (5xx)`, failed > 0 ? 'red' : 'dim'],
          [`  ${share(refused)} refused (4xx)`, 'dim'],
        ]
  return labelled('Requests', [`${requests} in the last minute`, ...shares])
}

/** At most so many lines: the newest kinds of warnings, the newest last. */
function warningLines({ warnings }: BoardFacts, now: number, most: number): Line[] {
  if (warnings.length === 0 || most < 1) return []
  const lines = warnings.slice(-most).map(({ text, at, count }, number): Line => {
    const age = now - at < 60_000 ? 'now' : `${durationText(now - at).replace(/ \d+ s$/, '')} ago`
    return labelled(number === 0 ? 'Warnings' : '', [
      [age.padEnd(12), 'dim'],
      [`${count > 1 ? `${count}×  ` : ''}${text}`, 'yellow'],
    ])
  })
  return [[], ...lines]
}

function footOf({ logFile, ready_at }: BoardFacts): Line[] {
  const hint = ready_at === null ? 'Ctrl+C stops' : 'Ctrl+C stops; the next start continues with the same data'
  return [[], labelled('Log', [logFile]), [' ', [hint, 'dim']]]
}

function labelled(name: string, line: Line): Line {
  return [[` ${name.padEnd(LABEL - 1)}`, 'dim'], ...line]
}

function widthOf(line: Line): number {
  return line.reduce((sum, one) => sum + (typeof one === 'string' ? one : one[0]).length, 0)
}

/** Returns a line cut to the width of the terminal, with its styles if it has colours. The last column is the cursor's. */
function paint(line: Line, { columns, isColoured }: BoardSize): string {
  const isCut = widthOf(line) >= columns
  let left = columns - (isCut ? 2 : 1)
  const parts = line.map((one) => {
    const [text, style] = typeof one === 'string' ? [one, null] : one
    const shown = text.slice(0, left)
    left -= shown.length
    return style === null || !isColoured || shown === '' ? shown : styleText(style, shown, { validateStream: false })
  })
  return `${parts.join('')}${isCut ? '…' : ''}`
}
