import type { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { isCancelled, LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import type { railTripUpdates } from '../../../lake/datasets/rail/trip-updates.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { sortedSet } from './realtime.ts'

type Alert = FeedRow<typeof railAlerts>
type TripUpdate = FeedRow<typeof railTripUpdates>

/** A train later than this gets an alert (specification: delays of more than 5 minutes), s. */
const LATE_S = 300

/**
 * Alerts derived from trip updates: cancelled trains, and trains more than 5 minutes late; one per train and service day. The
 * variants of a long-distance train share its delay: they are one alert, cancelled only if all variants are. Implausible
 * delays give none.
 */
export function derivedAlerts(updates: readonly TripUpdate[]): Alert[] {
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
