import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { isCancelled } from '../../../lake/datasets/rail/codes.ts'
import { renfe } from '../../../lake/datasets/rail/sources.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trip-updates.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { RealtimeTripUpdate } from '../../formats/gtfs-realtime.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type FeedBody } from '../define.ts'
import { delayQuality } from './delays.ts'
import { derivedAlerts } from './derived-alerts.ts'
import { NUCLEOS_MISSING } from './expected-nucleos.ts'
import { cancelledDate, serviceDate, tripParts } from './ids.ts'
import { COMMUTER_BAND, LONG_DISTANCE_BAND, messageOf, type Network, realtimeRequests, sortedSet } from './realtime.ts'

/**
 * Delays and cancellations of commuter trains. A núcleo missing from a publication, by its count of trips, is missing from the
 * alerts too: having no late train is not a gap.
 */
export const renfeTripUpdates = defineFeed({
  id: 'renfe_trip_updates',
  source: renfe,
  into: [railTripUpdates, railAlerts],
  every_s: 20,
  get: realtimeRequests('trip_updates'),
  bands: { rail_trip_updates: COMMUTER_BAND, rail_alerts: COMMUTER_BAND },
  groups: {
    rail_trip_updates: { column: 'nucleo_code', ...NUCLEOS_MISSING },
    rail_alerts: { column: 'nucleo_codes', countedIn: 'rail_trip_updates', mostMissing: 1 },
  },
  rawRetentionDays: 14,
  rows: (bodies, _clock, diagnostics) => readTripUpdates('CERCANIAS', bodies, diagnostics),
})

/** Delays and cancellations of long-distance trains: trips and delays, without stops. */
export const renfeTripUpdatesLd = defineFeed({
  id: 'renfe_trip_updates_ld',
  source: renfe,
  into: [railTripUpdates, railAlerts],
  every_s: 30,
  get: realtimeRequests('trip_updates_LD'),
  bands: {
    // Yesterday's cancellations disappear at once in the early morning: 9 of 19 were left on 2026-03-28, and none of those
    // ran.
    rail_trip_updates: { ...LONG_DISTANCE_BAND, exceptGroups: ['CANCELED'] },
    // Trains may become late, or punctual again, at any moment.
    rail_alerts: COMMUTER_BAND,
  },
  // Completeness groups only for the counts: none of them ever counts as missing.
  groups: { rail_trip_updates: { column: 'schedule_relationship', least: Number.POSITIVE_INFINITY } },
  rawRetentionDays: 14,
  rows: (bodies, _clock, diagnostics) => readTripUpdates('AVLDMD', bodies, diagnostics),
})

type TripUpdate = FeedRow<typeof railTripUpdates>

function* readTripUpdates(network: Network, bodies: readonly FeedBody[], diagnostics: Diagnostics): Generator<Batch> {
  const { publishedAt, entities } = messageOf(bodies, diagnostics, railTripUpdates)
  const trips = new Map<string, TripUpdate>()
  for (const { id, tripUpdate } of entities) {
    const tripId = tripUpdate?.trip.tripId ?? null
    if (!tripUpdate) diagnostics.reject(railTripUpdates, 'an entity that is no trip update', id)
    else if (tripId === null) diagnostics.reject(railTripUpdates, 'no trip id', id)
    else {
      const row = tripUpdateRow({ network, tripId, publishedAt }, tripUpdate, diagnostics)
      const before = trips.get(tripId)
      if (before) diagnostics.warn('a trip is stated twice')
      trips.set(tripId, before ? likelierOf(before, row) : row)
    }
  }
  const rows = [...trips.values()]
  yield batch(railTripUpdates, rows)
  yield batch(railAlerts, derivedAlerts(rows))
}

/**
 * Picks one of two updates of one trip (on 2026-03-28 277 of 39,823 long-distance updates, of 11 trips): a running trip before
 * a cancelled one, and of two running the later one. Their order has no meaning.
 */
function likelierOf(one: TripUpdate, other: TripUpdate): TripUpdate {
  if (isCancelled(one) || isCancelled(other)) return isCancelled(one) ? other : one
  return (other.delay_s ?? 0) > (one.delay_s ?? 0) ? other : one
}

function tripUpdateRow(
  about: { readonly network: Network; readonly tripId: string; readonly publishedAt: number },
  update: RealtimeTripUpdate,
  diagnostics: Diagnostics,
): TripUpdate {
  const { train_number, line, nucleo_code, weekday } = tripParts(about.tripId)
  if (train_number === null) diagnostics.warn('a trip id of unknown form')
  const next = update.stops.find(({ relationship }) => relationship !== 'SKIPPED') ?? null
  const isOff = isCancelled({ schedule_relationship: update.trip.relationship })
  const delay_s = update.delay_s ?? next?.arrivalDelay_s ?? null
  if (delay_s !== null && delay_s !== (next?.arrivalDelay_s ?? delay_s)) diagnostics.warn("a trip's delay is not that of its next stop")
  const delay_quality = delayQuality(delay_s, diagnostics)
  const due = about.publishedAt - (delay_quality === 'OK' ? 1000 * (delay_s ?? 0) : 0)
  return {
    source: renfe.id,
    network: about.network,
    trip_id: about.tripId,
    train_number,
    line,
    nucleo_code,
    service_date: isOff && weekday === null ? cancelledDate(about.publishedAt) : serviceDate(weekday, due),
    // By the standard, a trip is scheduled by default.
    schedule_relationship: update.trip.relationship ?? 'SCHEDULED',
    delay_s,
    delay_quality,
    next_stop_id: next?.stopId ?? null,
    expected_arrival_at: next?.arrivesAt ?? null,
    skipped_stop_ids: sortedSet(update.stops.filter(({ relationship }) => relationship === 'SKIPPED').map(({ stopId }) => stopId)),
    wheelchair_access: update.wheelchairAccess,
  }
}
