import { LANGS, type Lang, nested, pick, type ValueOf } from '../../kernel/fields.ts'
import { field } from '../../kernel/reply-fields.ts'
import { alert, localise } from './alert.ts'
import type { CurrentAlert } from './alert-trains.ts'
import { ALERT_SCOPES } from './codes.ts'
import type { RailNetwork } from './network.ts'

const { fields } = alert

const alertFields = {
  id: fields.id,
  scope: field.code('Scope of the alert.', ALERT_SCOPES, 'STATION'),
  ...pick(fields, 'kind', 'derived', 'lines', 'products', 'nucleo_codes', 'text', 'text_language', 'translations', 'effect', 'cause'),
  ...pick(fields, 'train_number', 'service_date', 'delay_s', 'origin', 'destination', 'active_from', 'active_until', 'updated_at'),
  is_stale: fields.is_stale,
} as const

type Alert = ValueOf<typeof alertFields>

/** Current alerts that concern a station or route. */
export const alertsField = nested.objects(
  'Current notices that name it or one of its lines, those that name it first; then its trains that are cancelled or more than 5 minutes late, by the timetable of their service day. A late train is listed until it has left the station.',
  alertFields,
)

/** Translation of a record with such alerts: the alerts are translated. */
export const inLanguages = Object.freeze({
  languages: LANGS,
  localise: <R extends { readonly alerts: readonly Alert[] }>(thing: R, lang: Lang): R => ({
    ...thing,
    alerts: thing.alerts.map((one) => localise(one, lang)),
  }),
})

/** Identifiers by which alerts may name a thing: a station or a route, and lines. */
export interface Concerned {
  readonly stop_id?: string
  readonly route_id?: string
  readonly lines: readonly { readonly line: string | null; readonly nucleo_code: string | null }[]
}

/** The current alerts that concern a thing: notices by scope, then trains; each group by id. */
export function alertsOf(alerts: readonly CurrentAlert[], thing: Concerned, network: Pick<RailNetwork, 'routes'>): Alert[] {
  const lines = new Set(thing.lines.map(({ nucleo_code, line }) => keyOf(nucleo_code, line)))
  return alerts
    .flatMap(({ shown }) => {
      const scope = scopeOf(shown, { ...thing, lines }, network)
      return scope === null ? [] : [{ ...shown, scope }]
    })
    .sort((one, other) => rank(one) - rank(other) || (one.id < other.id ? -1 : 1))
}

/** True if an alert concerns one of some stations, by the rules of the station endpoints. */
export function concernsStations(
  stop_ids: readonly string[],
  network: Pick<RailNetwork, 'routes' | 'stations'>,
): (shown: CurrentAlert['shown']) => boolean {
  const things = stop_ids.map((stop_id) => ({ stop_id, lines: linesAt(stop_id, network) }))
  return (shown) => things.some((thing) => scopeOf(shown, thing, network) !== null)
}

/** The commuter lines of a station, as alerts name lines. */
function linesAt(stop_id: string, { stations }: Pick<RailNetwork, 'stations'>): ReadonlySet<string> {
  const lines = stations.get(stop_id)?.lines ?? []
  return new Set(lines.flatMap(({ nucleo_code, short_name }) => (nucleo_code === null ? [] : [keyOf(nucleo_code, short_name)])))
}

const SCOPES = Object.keys(ALERT_SCOPES.codes)
const rank = ({ derived, scope }: Alert): number => SCOPES.indexOf(scope) + (derived ? SCOPES.length : 0)
const keyOf = (nucleo: unknown, line: unknown): string => `${nucleo} ${line}`

function scopeOf(
  shown: CurrentAlert['shown'],
  thing: Omit<Concerned, 'lines'> & { readonly lines: ReadonlySet<string> },
  network: Pick<RailNetwork, 'routes'>,
): string | null {
  const { stop_id, route_id, lines } = thing
  if (stop_id !== undefined && shown.stop_ids.includes(stop_id)) return 'STATION'
  if (route_id !== undefined && shown.route_ids.includes(route_id)) return 'ROUTE'
  // An alert that names stations concerns these, not all of the line. So does a train in the timetable, even without stops
  // ahead.
  const isOfLine = shown.stop_ids.length === 0 && !(shown.derived && shown.route_ids.length > 0)
  return isOfLine && namedLines(shown, network).some((key) => lines.has(key)) ? 'LINE' : null
}

/** Lines with their núcleo: of the routes that an alert names, else of its hashtags or the trip that it is about. */
function namedLines(shown: CurrentAlert['shown'], { routes }: Pick<RailNetwork, 'routes'>): string[] {
  const { derived, route_ids, hashtags, lines, nucleo_codes } = shown
  const named = route_ids.flatMap((id) => routes.get(id) ?? [])
  if (named.length > 0) return named.map(({ nucleo_code, short_name }) => keyOf(nucleo_code, short_name))
  if (derived) return lines.flatMap((line) => nucleo_codes.map((nucleo) => keyOf(nucleo, line)))
  return hashtags.map(({ nucleo_code, line }) => keyOf(nucleo_code, line))
}
