import type { EventLog } from '../../lake/events/log.ts'
import { recordEvent } from '../../lake/events/record.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { deprecatedFrom } from '../kernel/deprecation.ts'
import { type Endpoint, endpointId } from '../kernel/endpoint.ts'

/** Records an `api.deprecated` event once for each endpoint whose deprecation has begun: a marker object outlives the log. */
export async function announceDeprecations(options: {
  readonly store: ObjectStore
  readonly log: EventLog
  readonly endpoints: readonly Endpoint[]
  readonly now: number
}): Promise<void> {
  const { store, log, endpoints, now } = options
  for (const { path, deprecated } of endpoints) {
    if (!deprecated || deprecatedFrom(deprecated) > now) continue
    const mark = `events/deprecations/${endpointId(path) || 'root'}-${deprecated.since}.json`
    if ((await store.head(mark)) !== null) continue
    const { since, sunset, replacement = null, why } = deprecated
    await recordEvent(log, {
      type: 'api.deprecated',
      about: path,
      at: deprecatedFrom(deprecated),
      data: { path, since, sunset, replacement, why },
    })
    await store.put(mark, Buffer.from(JSON.stringify({ path, at: now })))
  }
}
