import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { isCancelled, LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import { renfe } from '../../../lake/datasets/rail/sources.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { RealtimeTripUpdate } from '../../formats/gtfs-realtime.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type FeedBody } from '../define.ts'
import { NUCLEOS_MISSING } from './expected-nucleos.ts'
import { cancelledDate, serviceDate, tripParts } from './ids.ts'
import { COMMUTER_BAND, delayQuality, LONG_DISTANCE_BAND, messageOf, type Network, realtimeRequests, sortedSet } from './realtime.ts'

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

type Alert = FeedRow<typeof railAlerts>

/** A train later than this gets an alert (specification: delays of more than 5 minutes), s. */
const LATE_S = 300

/**
 * Alerts derived from trip updates: cancelled trains, and trains more than 5 minutes late; one per train and service day. The
 * variants of a long-distance train share its delay: they are one alert, cancelled only if all variants are. Implausible
 * delays give none.
 */
function derivedAlerts(updates: readonly TripUpdate[]): Alert[] {
  const alerts: Alert[] = []
  for (const variants of Map.groupBy(updates, runOf).values()) {
    const alert = alertOf(variants as [TripUpdate, ...TripUpdate[]])
    if (alert) alerts.push(alert)
  }
  return alerts
}

/**
 * Identifies one run of a train: a commuter trip, or a long-distance train by its number, since its trip ids change at night.
 */
function runOf({ network, trip_id, train_number, service_date }: TripUpdate): string {
  const isTrain = network === LONG_DISTANCE && train_number !== null
  return `${isTrain ? `TRAIN_${train_number}` : `TRIP_${trip_id}`}_${service_date}`
}

function alertOf(variants: readonly [TripUpdate, ...TripUpdate[]]): Alert | null {
  const [first] = variants
  const running = variants.filter((variant) => !isCancelled(variant))
  const delay_s = Math.max(...running.map(({ delay_s: delay, delay_quality }) => (delay_quality === 'OK' ? (delay ?? 0) : 0)))
  if (running.length > 0 && delay_s <= LATE_S) return null
  const kind = running.length === 0 ? 'CANCELLED' : 'DELAY'
  const { train_number, line, nucleo_code, service_date } = first
  const texts = textsOf({ name: train_number ?? first.trip_id, line, minutes: kind === 'DELAY' ? Math.floor(delay_s / 60) : null })
  return {
    source: first.source,
    source_id: runOf(first),
    kind,
    derived: true,
    network: first.network,
    nucleo_codes: sortedSet([nucleo_code]),
    lines: sortedSet([line]),
    hashtags: [],
    route_ids: [],
    stop_ids: [],
    trip_ids: sortedSet((kind === 'DELAY' ? running : variants).map(({ trip_id }) => trip_id)),
    train_number,
    service_date,
    delay_s: kind === 'DELAY' ? delay_s : null,
    effect: null,
    cause: null,
    active_from: null,
    active_until: null,
    text_es: texts.es,
    translations: [
      { language: 'en', text: texts.en },
      { language: 'es', text: texts.es },
    ],
  }
}

function textsOf(train: { readonly name: string; readonly line: string | null; readonly minutes: number | null }): {
  readonly es: string
  readonly en: string
} {
  const es = `Tren ${train.name}${train.line === null ? '' : ` de la línea ${train.line}`}`
  const en = `Train ${train.name}${train.line === null ? '' : ` of line ${train.line}`}`
  if (train.minutes === null) return { es: `${es}: suprimido.`, en: `${en}: cancelled.` }
  return { es: `${es}: ${train.minutes} min de retraso.`, en: `${en}: ${train.minutes} min late.` }
}
