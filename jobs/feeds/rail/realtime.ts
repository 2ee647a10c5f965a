import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type RealtimeMessage, readRealtime } from '../../formats/gtfs-realtime.ts'
import { type Band, type FeedBody, type FeedRequest, FormatError, type Notes, type RequestPlan } from '../define.ts'

/** The networks that have live feeds. */
export type Network = 'CERCANIAS' | 'AVLDMD'

/** Commuter trains come and go, none may run at night, and the first fetch after an outage may be of another hour: núcleos tell what is missing. */
export const COMMUTER_BAND: Band = Object.freeze({ atLeast: 0, minRatio: 0, maxRatio: 100_000 })
/**
 * Long distance has no núcleos to tell what is missing. A publication with few of the trains of the one before, or none, is refused for as long
 * as live data count, 15 minutes: taken sooner, a gap would end every alert while they do. After that it is taken: where only a few trains
 * run, they may well be gone. Of fewer than 20 any number may be: on 2026-03-28 there were 5 five minutes after 13, and 3 after 6.
 */
export const LONG_DISTANCE_BAND: Band = Object.freeze({ ...COMMUTER_BAND, soon: [{ within_s: 900, minRatio: 0.6, ofAtLeast: 20 }] })

const HOST = 'https://gtfsrt.renfe.com/'
const MAX_BYTES = 16_000_000

/**
 * Where a message is asked for: as JSON, and where that cannot be had, as protobuf. Both are the same message, and nearly the same size when
 * packed; JSON is what all captures are and has the name of a code that the schema does not know yet, of which protobuf has the number only.
 */
export function realtimePlans(file: string): readonly RequestPlan[] {
  const request = (name: 'json' | 'protobuf', path: string, accept: string): FeedRequest => ({
    name,
    url: `${HOST}${path}`,
    accept,
    maxBytes: MAX_BYTES,
    maxDecodedBytes: MAX_BYTES,
    timeout_ms: 10_000,
    expects: name,
  })
  return [
    { requests: [request('json', `${file}.json`, 'application/json')] },
    { requests: [request('protobuf', `${file}.pb`, 'application/x-protobuf, application/octet-stream;q=0.9')] },
  ]
}

/** Reads the message of a fetch. Its header's time names the content. An entity that cannot be read counts as a bad row of `dataset`. */
export function messageOf(bodies: readonly FeedBody[], notes: Notes, dataset: Dataset): RealtimeMessage {
  const body = bodies[0]
  if (!body) throw new FormatError('there is no body')
  const message = readRealtime(body.bytes, (reason, id) => notes.quarantine(dataset, reason, id))
  notes.publishedAt(message.publishedAt)
  return message
}

/** Each once, sorted, those that are none left out: publications differ in their order. */
export function sortedSet(values: Iterable<string | null | undefined>): string[] {
  return [...new Set([...values].filter((value): value is string => value !== null && value !== undefined))].sort()
}
