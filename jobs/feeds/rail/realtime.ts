import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type RealtimeMessage, readRealtime } from '../../formats/gtfs-realtime.ts'
import { type Band, bodyOf, type Diagnostics, type FeedBody } from '../define.ts'
import type { Get } from '../request.ts'

/** The networks that have live feeds. */
export type Network = 'CERCANIAS' | 'AVLDMD'

/**
 * Commuter trains vary: none may run at night, and the first fetch after an outage may show another hour. Núcleos show what
 * is missing.
 */
export const COMMUTER_BAND: Band = Object.freeze({ atLeast: 0, minRatio: 0, maxRatio: 100_000 })
/**
 * Long distance has no núcleos. A publication with far fewer trains than the previous one is rejected while live data are
 * valid (15 minutes): a gap would end every alert. Later it is accepted: few trains may run. Below 20 trains any drop is
 * accepted: on 2026-03-28 5 followed 13 in five minutes, and 3 followed 6.
 */
export const LONG_DISTANCE_BAND: Band = Object.freeze({ ...COMMUTER_BAND, soon: [{ within_s: 900, minRatio: 0.6, ofAtLeast: 20 }] })

const HOST = 'https://gtfsrt.renfe.com/'

/**
 * Requests of a message: as JSON, and if that fails, as protobuf. Both have the same content and similar compressed size. JSON
 * is the form of all captures, and it names codes that the schema lacks, where protobuf only has numbers.
 */
export function realtimeRequests(file: string): readonly Get[] {
  const limits = { maxBytes: 16_000_000, timeout_ms: 10_000 }
  return [
    { name: 'json', url: `${HOST}${file}.json`, ...limits, expects: 'json' },
    { name: 'protobuf', url: `${HOST}${file}.pb`, ...limits, expects: 'protobuf' },
  ]
}

/**
 * Reads the message of a fetch; its header's time identifies the content. An unreadable entity counts as a bad row of
 * `dataset`.
 */
export function messageOf(bodies: readonly FeedBody[], diagnostics: Diagnostics, dataset: Dataset): RealtimeMessage {
  const body = bodyOf(bodies)
  const message = readRealtime(body.bytes, (reason, id) => diagnostics.reject(dataset, reason, id))
  diagnostics.publishedAt(message.publishedAt)
  return message
}

/** The distinct values, sorted, without empty ones: publications differ in their order. */
export function sortedSet(values: Iterable<string | null | undefined>): string[] {
  return [...new Set([...values].filter((value): value is string => value !== null && value !== undefined))].sort()
}

/** Limits of plausible delays, s: the long-distance feeds have stated −10 h and +10.8 h for trains that ran. */
const EARLIEST_S = -1800
const LATEST_S = 21_600

/** The stated delay (s), if plausible; an implausible one is counted. Null if there is none. */
export function delayQuality(delay_s: number | null, diagnostics: Diagnostics): 'OK' | 'DOUBTFUL' | null {
  if (delay_s === null) return null
  if (delay_s >= EARLIEST_S && delay_s <= LATEST_S) return 'OK'
  diagnostics.warn('an implausible delay')
  return 'DOUBTFUL'
}
