import { LRUCache } from 'lru-cache'
import type { DestinationStream } from 'pino'

/** Most bytes of a log line. */
export const MAX_LINE_BYTES = 1000
/** Warnings of one kind in this time, ms, are one line. */
const REPEAT_MS = 3_600_000
/** Kinds of warnings that are remembered, the most recent ones. */
const MAX_KINDS = 1000
const MAX_TEXT = 160
const MAX_ITEMS = 5
/** Fields that say what a warning is about. */
const SUBJECTS = ['feed', 'job', 'task', 'dataset', 'table', 'webhook', 'path', 'code', 'responseCode', 'tries'] as const
/** Pino's number of the level `warn`. */
const WARN = 40

interface Repeat {
  readonly since: number
  count: number
}

/**
 * Returns a destination of JSON log lines in front of another: lines above 1 kB are shortened, and a warning that is repeated
 * is one line an hour; the next one states `repeated`, the number of those that were left out.
 */
export function boundedLines(to: DestinationStream, clock: () => number = Date.now): DestinationStream {
  const kinds = new LRUCache<string, Repeat>({ max: MAX_KINDS })
  return {
    write: (line: string) => {
      const isLong = Buffer.byteLength(line) > MAX_LINE_BYTES
      const level = Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? 0)
      if (!isLong && level !== WARN) return to.write(line)
      const fields = JSON.parse(line) as Record<string, unknown>
      const now = clock()
      const kind = level === WARN ? kindOf(fields) : null
      const before = kind === null ? undefined : kinds.get(kind)
      if (before && now - before.since < REPEAT_MS) {
        before.count++
        return
      }
      if (kind !== null) kinds.set(kind, { since: now, count: 0 })
      to.write(`${lineOf({ ...fields, ...(before && before.count > 0 ? { repeated: before.count } : {}) })}\n`)
    },
  }
}

/** Returns what makes two warnings the same: the text and the subject; numbers and ids in errors differ between repetitions. */
function kindOf({ name, msg, err, reason, ...fields }: Record<string, unknown>): string {
  const error = (err as { readonly message?: unknown } | undefined)?.message ?? reason
  const [text, cause] = [msg, error ?? ''].map((one) => String(one).replace(/[\da-f]{8,}|\d+/g, '#'))
  return JSON.stringify([name, text, cause, ...SUBJECTS.map((subject) => fields[subject])])
}

/** A warning or error of a log for people: its text, and what it has in common with others of its kind, whatever their cause. */
export interface ReadableWarning {
  readonly kind: string
  readonly text: string
  /** Itself, and the repetitions that were left out before it. */
  readonly count: number
}

/** An error that a process printed beside its log; its trace and the source code around it are no warnings. */
const PRINTED_ERROR = /^\w*(?:Error|Warning|FATAL)\b/

/** Reads a warning from a line of a process; null if it is none. */
export function readWarning(line: string): ReadableWarning | null {
  if (!line.startsWith('{')) return PRINTED_ERROR.test(line) ? { kind: line, text: line, count: 1 } : null
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(line)
  } catch {
    return null
  }
  if (!(Number(fields['level']) >= WARN)) return null
  const { err, reason, repeated, ...causeless } = fields
  const { name, msg } = causeless
  const [about, ...others] = SUBJECTS.flatMap((subject) => (fields[subject] === undefined ? [] : [`${subject} ${fields[subject]}`]))
  const cause = (err as { readonly message?: unknown } | undefined)?.message ?? reason
  const parts = [`${about?.replace(/^feed /, '') ?? name}: ${msg ?? ''}`, ...others, ...(cause === undefined ? [] : [String(cause)])]
  const text = parts.join(', ').replace(/[\p{Cc}\s]+/gu, ' ')
  return { kind: kindOf(causeless), text, count: 1 + (Number(repeated) || 0) }
}

/**
 * Returns a line of at most `MAX_LINE_BYTES`: long texts and lists are cut, then the longest fields are left out. An error keeps
 * its message longest.
 */
function lineOf(fields: Record<string, unknown>): string {
  const whole = JSON.stringify(fields)
  if (Buffer.byteLength(whole) <= MAX_LINE_BYTES) return whole
  const { level, time, pid, hostname, name, msg, ...rest } = shortened(fields) as Record<string, unknown>
  const kept: [string, unknown][] = Object.entries(rest)
  for (;;) {
    const left = Object.entries(rest).length - kept.length
    const line = JSON.stringify({
      level,
      time,
      pid,
      hostname,
      name,
      ...Object.fromEntries(kept),
      msg,
      ...(left > 0 ? { left_out: left } : {}),
    })
    if (Buffer.byteLength(line) <= MAX_LINE_BYTES || kept.length === 0) return line
    const sizes = kept.map(([, value]) => JSON.stringify(value)?.length ?? 0)
    const longest = sizes.indexOf(Math.max(...sizes))
    const [of, value] = kept[longest] as [string, unknown]
    const { message, ...more } = (value ?? {}) as { readonly message?: unknown }
    const isCut = message !== undefined && Object.keys(more).length > 0
    kept.splice(longest, 1, ...(isCut ? [[of, { message }] as [string, unknown]] : []))
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
  if (Array.isArray(value)) {
    const more = value.length - MAX_ITEMS
    return [...value.slice(0, MAX_ITEMS).map(shortened), ...(more > 0 ? [`… ${more} more`] : [])]
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one)]))
}
