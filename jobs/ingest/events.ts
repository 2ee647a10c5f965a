import { createHmac } from 'node:crypto'
import type { LoggedEvent } from '../../lake/events/log.ts'
import { CHANGE_EVENTS, type ChangeEvents } from '../../lake/events/types.ts'
import type { LiveChange } from '../../lake/live/types.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import type { IngestContext } from './context.ts'

/** Digits of an event id, as hexadecimal: 128 bits. */
const ID_DIGITS = 32

/**
 * Records the events of an accepted fetch from its changes by dataset; `first` are the datasets without an earlier one. An id
 * hashes dataset, thing and log position, so recording the same fetch again after a crash gives the same ids, which are ignored.
 */
export async function recordEvents(
  { events: log, idKey }: IngestContext,
  accepted: AcceptedFetch,
  { changes, first }: { readonly changes: ReadonlyMap<string, readonly LiveChange[]>; readonly first: ReadonlySet<string> },
): Promise<void> {
  if (!log) return
  const news = CHANGE_EVENTS.filter(({ dataset, isCatalogue }) => !(isCatalogue && first.has(dataset.id)))
  const found = news.flatMap((source) =>
    (changes.get(source.dataset.id) ?? []).flatMap((change) => eventOf(source, change, { accepted, idKey }) ?? []),
  )
  await log.record(`${accepted.feed} ${accepted.seq}`, found, { since: Date.parse(accepted.fetched_at) })
}

function eventOf(
  { dataset, typeOf }: ChangeEvents,
  logged: LiveChange,
  { accepted, idKey }: { readonly accepted: AcceptedFetch; readonly idKey: Buffer },
): LoggedEvent | null {
  const type = typeOf(logged)
  if (type === null) return null
  const { kind, key, changed, row } = logged
  // Keyed, so that a publisher's possibly secret id cannot be guessed from it.
  const hash = createHmac('sha256', idKey).update(`event\u001f${dataset.id}\u001f${key}\u001f${accepted.feed}\u001f${accepted.seq}`)
  const id = `evt_${hash.digest('hex').slice(0, ID_DIGITS)}`
  return {
    id,
    type,
    thing: `${dataset.id} ${key}`,
    at: Date.parse(accepted.data_time),
    change: { dataset: dataset.id, kind, row, changed },
  }
}
