import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { State } from '../../define/endpoint.ts'
import { nested, type ValueOf } from '../../define/fields.ts'
import { stateFields } from '../tail.ts'
import { ALERT_SCOPES } from './codes.ts'
import type { RailNetwork } from './network.ts'

const { columns } = railAlerts

const alertFields = {
  id: columns.alert_id,
  scope: col.code(0, 'What the alert names.', ALERT_SCOPES, { example: 'STATION' }),
  kind: columns.kind,
  lines: columns.lines,
  nucleo_codes: columns.nucleo_codes,
  effect: columns.effect,
  cause: columns.cause,
  active_from: columns.active_from,
  active_until: columns.active_until,
  text_es: columns.text_es,
  translations: columns.translations,
  updated_at: stateFields(columns.observed_at).updated_at,
  is_stale: stateFields(columns.observed_at).is_stale,
} as const

type Alert = ValueOf<typeof alertFields>
type AlertRow = State<typeof railAlerts>['rows'][number]

/** Current alerts that concern a thing. */
export const alertsField = nested.objects(
  'Current notices that name it or one of its lines, those that name it first. Trains that are late or cancelled are told by boards.',
  alertFields,
)

/** What alerts may name of a thing: a station or a route, and lines. */
export interface Concerned {
  readonly stop_id?: string
  readonly route_id?: string
  readonly lines: readonly { readonly line: string | null; readonly nucleo_code: string | null }[]
}

/** The current notices that concern a thing, in order of their scope and id. */
export function alertsOf(state: State<typeof railAlerts>, thing: Concerned, network: Pick<RailNetwork, 'routes'>): Alert[] {
  const lines = new Set(thing.lines.map(({ nucleo_code, line }) => keyOf(nucleo_code, line)))
  return state.rows
    .flatMap((row) => {
      const scope = row.derived || row.status === 'ENDED' ? null : scopeOf(row, { ...thing, lines }, network)
      return scope === null ? [] : [alertOf(row, scope)]
    })
    .sort((one, other) => rank(one.scope) - rank(other.scope) || (one.id < other.id ? -1 : 1))
}

const SCOPES = Object.keys(ALERT_SCOPES.codes)
const rank = (scope: string): number => SCOPES.indexOf(scope)
const keyOf = (nucleo: unknown, line: unknown): string => `${nucleo} ${line}`

function scopeOf(
  row: AlertRow,
  thing: Omit<Concerned, 'lines'> & { readonly lines: ReadonlySet<string> },
  network: Pick<RailNetwork, 'routes'>,
): string | null {
  const { stop_id, route_id, lines } = thing
  if (stop_id !== undefined && row.stop_ids.includes(stop_id)) return 'STATION'
  if (route_id !== undefined && row.route_ids.includes(route_id)) return 'ROUTE'
  // What names stations concerns these, not every one of the line.
  return row.stop_ids.length === 0 && namedLines(row, network).some((key) => lines.has(key)) ? 'LINE' : null
}

/** Lines with their núcleo: those of the routes that an alert names, else those of its hashtags. */
function namedLines({ route_ids, hashtags }: AlertRow, { routes }: Pick<RailNetwork, 'routes'>): string[] {
  const named = route_ids.flatMap((id) => routes.get(id) ?? [])
  if (named.length > 0) return named.map(({ nucleo_code, short_name }) => keyOf(nucleo_code, short_name))
  const tags = hashtags as readonly { readonly nucleo_code: string | null; readonly line: string | null }[]
  return tags.map(({ nucleo_code, line }) => keyOf(nucleo_code, line))
}

function alertOf(row: AlertRow, scope: string): Alert {
  return {
    id: row.alert_id,
    scope,
    kind: row.kind,
    lines: row.lines,
    nucleo_codes: row.nucleo_codes,
    effect: row.effect,
    cause: row.cause,
    active_from: row.active_from,
    active_until: row.active_until,
    text_es: row.text_es,
    translations: row.translations,
    updated_at: row.updated_at,
    is_stale: row.is_stale,
  }
}
