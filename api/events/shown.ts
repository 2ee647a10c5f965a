import { LRUCache } from 'lru-cache'
import type { EventBatch, LoggedEvent } from '../../lake/events/log.ts'
import type { EventType } from '../../lake/events/types.ts'
import type { Json } from '../../lake/schema/columns.ts'
import { changedBy } from '../endpoints/changes.ts'
import { type JsonObject, recordWriter } from '../kernel/reads/shape.ts'
import { EVENT_KINDS, type EventKind, type Facets, topicOf } from './kinds.ts'

/** An event as callers get it. */
export interface ShownEvent {
  readonly id: string
  /** Position in the log of events, `<batch>-<number>`. */
  readonly offset: string
  readonly type: EventType
  readonly topic: string
  /** The thing that it is about; events of one thing stay in order. */
  readonly thing: string
  /** The only account that may see it; null for everybody. */
  readonly account: string | null
  readonly facets: Facets | null
  /** The JSON text that is sent, on one line. */
  readonly body: string
}

/** Longest body, in bytes. */
export const MAX_BODY = 20_000
const kinds: ReadonlyMap<string, EventKind & { readonly write: ReturnType<typeof recordWriter> }> = new Map(
  EVENT_KINDS.map((kind) => [kind.dataset.id, { ...kind, write: recordWriter(kind.record) }]),
)

/** The events of a batch in order; null for one that this version cannot show, such as that of a former dataset. */
export type ShownBatch = readonly (ShownEvent | null)[]

/** A cache of batches as callers get them, limited in characters. The least recently used batch is dropped first. */
export class ShownBatches {
  readonly #batches: LRUCache<number, ShownBatch>
  readonly #onError: (error: Error) => void
  #reported = 0

  /** `onError` is called once for a batch with events that cannot be shown. */
  constructor({ maxSize, onError }: { readonly maxSize: number; readonly onError: (error: Error) => void }) {
    this.#batches = new LRUCache({
      maxSize,
      sizeCalculation: (events) => events.reduce((sum, event) => sum + (event?.body.length ?? 0), 1),
    })
    this.#onError = onError
  }

  /** Returns the events of a batch. */
  of(batch: EventBatch): ShownBatch {
    const known = this.#batches.get(batch.offset)
    if (known) return known
    const errors: unknown[] = []
    const made = batch.events.map((event, at) => {
      try {
        return shown(event, `${batch.offset}-${at + 1}`)
      } catch (error) {
        errors.push(error)
        return null
      }
    })
    this.#batches.set(batch.offset, made)
    // A batch may be made again after it was dropped.
    if (errors.length > 0 && batch.offset > this.#reported) {
      this.#reported = batch.offset
      this.#onError(new Error(`batch ${batch.offset}: ${errors.length} of ${made.length} events cannot be shown`, { cause: errors[0] }))
    }
    return made
  }

  /** Returns the events of the batch with an offset, if it is cached. */
  known(offset: number): ShownBatch | null {
    return this.#batches.get(offset) ?? null
  }
}

/** A position in the log of events: a batch, and the number of its events before it. */
export interface Place {
  readonly batch: number
  readonly number: number
}

/** Reads a position as `offset` writes it; null for another text. */
export function placeOf(text: string): Place | null {
  const parts = /^(\d{1,12})-(\d{1,9})$/.exec(text)
  return parts && { batch: Number(parts[1]), number: Number(parts[2]) }
}

function shown(event: LoggedEvent, offset: string): ShownEvent {
  const { id, type, thing, at, account = null, change, data: given = {} } = event
  const about = { id, offset, type, topic: topicOf(type), thing, account }
  const written = change && writtenChange(event)
  const data = written?.data ?? ({ changed: [], ...given } as JsonObject)
  return {
    ...about,
    facets: written?.facets ?? null,
    body: bodyOf({ id, type, timestamp: new Date(at).toISOString(), data }, written?.path),
  }
}

function writtenChange({ at, change }: LoggedEvent): {
  readonly data: JsonObject
  readonly facets: Facets
  readonly path?: string | undefined
} {
  const { dataset, kind, row, changed } = change as NonNullable<LoggedEvent['change']>
  const shownAs = kinds.get(dataset)
  if (!shownAs) throw new Error(`changes of ${dataset} are not events`)
  const { thing: toThing, facets, write, membersOf, path } = shownAs
  const thing = toThing({ kind, row, changed, at } as never)
  return { data: { ...write(thing), changed: changedBy({ kind, changed }, membersOf) }, facets: facets(thing as never), path }
}

/** Returns the text of an event. If it is too long, its largest members are left out, and `omitted` names them. */
function bodyOf(payload: { readonly data: JsonObject } & Readonly<Record<string, Json>>, path: string | undefined): string {
  const text = JSON.stringify(payload)
  if (Buffer.byteLength(text) < MAX_BODY) return text
  const data = { ...payload.data }
  const omitted: string[] = []
  const sizes = Object.entries(data).map(([name, value]) => ({ name, bytes: Buffer.byteLength(JSON.stringify(value)) }))
  for (const { name } of sizes.sort((one, other) => other.bytes - one.bytes)) {
    delete data[name]
    omitted.push(name)
    const { id } = payload.data
    const url = path && typeof id === 'string' ? { url: path.replace('{id}', encodeURIComponent(id)) } : {}
    const shorter = JSON.stringify({ ...payload, data, omitted, ...url })
    if (Buffer.byteLength(shorter) < MAX_BODY) return shorter
  }
  throw new Error(`event ${String(payload['id'])} is too long without any data`)
}
