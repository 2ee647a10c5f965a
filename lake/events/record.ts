import { createHash } from 'node:crypto'
import type { EventLog, LoggedEvent } from './log.ts'
import type { EventType } from './types.ts'

/** An event that is not a change of a dataset. */
export interface NewEvent {
  readonly type: EventType
  /** Its subject, unique within its topic, such as the id of an export job. */
  readonly about: string
  /** When it happened, ms since the epoch. */
  readonly at: number
  /** Distinguishes it from other events of the same type and subject; ms since the epoch, at most `at`, the default. */
  readonly occurrence?: number
  /** Members of its `data`, as JSON. */
  readonly data: Readonly<Record<string, unknown>>
  /** The only account that may see it; public by default. */
  readonly account?: string
}

const ID_DIGITS = 32

/** Records an event once, however often this is called with the same type, `about` and occurrence. Returns its id. */
export async function recordEvent(log: EventLog, { type, about, at, occurrence = at, data, account }: NewEvent): Promise<string> {
  const origin = `${type} ${about} ${occurrence}`
  const id = `evt_${createHash('sha256').update(origin).digest('hex').slice(0, ID_DIGITS)}`
  const event: LoggedEvent = { id, type, thing: `${type.split('.')[0]} ${about}`, at, data, ...(account === undefined ? {} : { account }) }
  await log.record(origin, [event], { since: occurrence })
  return id
}
