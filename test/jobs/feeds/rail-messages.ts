import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import bindings from 'gtfs-realtime-bindings'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const { FeedMessage } = bindings.transit_realtime

/** A Tuesday noon in November, ms. */
export const NOON = Date.parse('2026-11-17T11:00:00Z')

/** A publication of entities as canonical JSON. */
export function realtimeJson(entities: readonly object[], at = NOON, header: object = {}): Buffer {
  const stamp = { gtfsRealtimeVersion: '2.0', timestamp: String(at / 1000), ...header }
  return Buffer.from(JSON.stringify({ header: stamp, entity: entities }, null, 2))
}

/** The same message as protobuf, encoded by the official schema. */
export function asProtobuf(json: Buffer): Buffer {
  return Buffer.from(FeedMessage.encode(FeedMessage.fromObject(JSON.parse(json.toString('utf8')) as object)).finish())
}

/** A trip update of a trip with a delay (s), or without one a cancelled trip. */
export function tripUpdate(tripId: string, delay: number | null): object {
  const scheduleRelationship = delay === null ? 'CANCELED' : 'SCHEDULED'
  const stated = delay === null ? {} : { delay, stopTimeUpdate: [{ arrival: { delay, time: String(NOON / 1000 + 90) }, stopId: '99001' }] }
  return { id: `TUUPDATE_${tripId}`, tripUpdate: { trip: { tripId, scheduleRelationship }, ...stated } }
}

/** Parses bytes as a feed's fetch. */
export function parseBytes(feed: Feed, bytes: Buffer, fetchedAt = NOON): Promise<Publication> {
  return parsePublication(feed, [{ name: 'json', bytes }], fetchedAt)
}

/** Rows of a dataset of a publication. */
export function rowsOf(publication: Publication, dataset: string): readonly AnyRow[] {
  return publication.rows.get(dataset) as readonly AnyRow[]
}

/** How often each value of a column comes. */
export function tallyOf(rows: readonly AnyRow[], column: string): Record<string, number> {
  const tally: Record<string, number> = {}
  for (const row of rows) tally[String(row[column])] = (tally[String(row[column])] ?? 0) + 1
  return tally
}

/** A capture, unpacked; only where the folder exists. */
export function capture(path: string): Buffer {
  const bytes = readFileSync(join(sharedFolder() as string, 'feeds', path))
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}
