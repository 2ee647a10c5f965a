import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { renfe } from '../../../lake/datasets/rail/sources.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { RealtimeAlert } from '../../formats/gtfs-realtime.ts'
import { batch, type Diagnostics, defineFeed } from '../define.ts'
import { lookUp } from '../look-up.ts'
import { hashtagsOf, normalised, spanishOf } from './alert-texts.ts'
import { routeParts, tripParts } from './ids.ts'
import { messageOf, realtimeRequests, sortedSet } from './realtime.ts'

/** Kinds of alerts, by the prefix of their id. */
const KINDS: Readonly<Record<string, string>> = { AVISO: 'NOTICE', INFO: 'INFORMATION' }

/**
 * Renfe's notices on commuter trains; long distance has no such feed. Published every 20 s, often unchanged, and answered 304
 * for hours, so its age is measured from the last fetch.
 */
export const renfeAlerts = defineFeed({
  id: 'renfe_alerts',
  source: renfe,
  into: [railAlerts],
  every_s: 120,
  get: realtimeRequests('alerts'),
  // Notices last for days to months: a publication with half of them is incomplete.
  bands: { rail_alerts: { atLeast: 1, minRatio: 0.5, maxRatio: 20, soon: [{ within_s: 3600, minRatio: 0.7 }] } },
  // A núcleo that loses three notices at once is missing. With one or two it is not guarded: an ended last notice looks the
  // same, and would stay for weeks. See the README beside this file.
  groups: { rail_alerts: { column: 'nucleo_codes', least: 3 } },
  freshBy: 'fetch',
  rawRetentionDays: 30,
  *rows(bodies, _clock, diagnostics) {
    const rows: FeedRow<typeof railAlerts>[] = []
    for (const { id, alert } of messageOf(bodies, diagnostics, railAlerts).entities) {
      if (alert) rows.push(alertRow(id, alert, diagnostics))
      else diagnostics.reject(railAlerts, 'an entity that is no alert', id)
    }
    yield batch(railAlerts, rows)
  },
})

function alertRow(id: string, alert: RealtimeAlert, diagnostics: Diagnostics): FeedRow<typeof railAlerts> {
  const translations = normalised(alert.description)
  const hashtags = hashtagsOf(translations)
  for (const { word, nucleo_code } of hashtags) if (nucleo_code === null) diagnostics.unknownCode('renfe_hashtag', word)
  const route_ids = sortedSet(alert.informed.map(({ routeId }) => routeId))
  const trip_ids = sortedSet(alert.informed.map(({ tripId }) => tripId))
  const named = [...route_ids.map(routeParts), ...trip_ids.map(tripParts)]
  const [prefix = id] = id.split('_')
  const { start = null } = alert.periods[0] ?? {}
  return {
    source: renfe.id,
    source_id: id,
    kind: lookUp(KINDS, prefix) ?? prefix,
    derived: false,
    network: 'CERCANIAS',
    nucleo_codes: firstFilled(sortedSet(named.map((parts) => parts?.nucleo_code)), sortedSet(hashtags.map((tag) => tag.nucleo_code))),
    lines: firstFilled(sortedSet(named.map((parts) => parts?.line)), sortedSet(hashtags.map(({ line }) => line))),
    hashtags: hashtags.map((tag) => ({ ...tag })),
    route_ids,
    stop_ids: sortedSet(alert.informed.map(({ stopId }) => stopId)),
    trip_ids,
    train_number: null,
    service_date: null,
    delay_s: null,
    effect: alert.effect,
    cause: alert.cause,
    active_from: start,
    active_until: alert.periods.at(-1)?.end ?? null,
    text_es: spanishOf(translations),
    translations: translations.map((translation) => ({ ...translation })),
  }
}

function firstFilled(one: string[], other: string[]): string[] {
  return one.length > 0 ? one : other
}
