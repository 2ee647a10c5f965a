import type { EventLog } from '../../lake/events/log.ts'
import { recordEvent } from '../../lake/events/record.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { type Endpoint, endpointId } from '../kernel/endpoint.ts'

/** Records an `api.deprecated` event once for each deprecated endpoint: a marker object outlives the log. `now` is in ms. */
export async function announceDeprecations(store: ObjectStore, log: EventLog, endpoints: readonly Endpoint[], now: number): Promise<void> {
  for (const { path, deprecated } of endpoints) {
    if (!deprecated) continue
    const mark = `events/deprecations/${endpointId(path)}-${deprecated.since}.json`
    if ((await store.head(mark)) !== null) continue
    const data = { path, replacement: null, ...deprecated }
    await recordEvent(log, { type: 'api.deprecated', about: path, at: now, data })
    await store.put(mark, Buffer.from(JSON.stringify({ path, at: now })))
  }
}
