import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { ALERT_EFFECTS, RAIL_ALERT_KINDS, RAIL_NETWORKS, RAIL_NUCLEOS } from '../../../lake/datasets/rail/codes.ts'
import { bind, column, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { codeParam, listOf } from '../../define/params.ts'
import { isOneOf } from '../../define/place-sql.ts'
import { lineParam, stationParam } from './known-names.ts'
import { networkOf } from './train-id.ts'

/** Chooses by network, núcleo, line and station; of every endpoint of trains that has them. */
export const railParams = {
  network: listOf(codeParam('Network of the railway.', RAIL_NETWORKS, { example: 'CERCANIAS' })),
  nucleo: listOf(codeParam('Commuter network (núcleo).', RAIL_NUCLEOS, { example: '10' })),
  line: lineParam,
  station: stationParam,
} as const

/** What chooses alerts. */
export const alertParams = {
  ...railParams,
  kind: listOf(codeParam('Kind of alert.', RAIL_ALERT_KINDS, { example: 'CANCELLED' })),
  effect: listOf(codeParam('Effect that the source states.', ALERT_EFFECTS, { example: 'REDUCED_SERVICE' })),
} as const

type Values = readonly string[] | null

/** Values of `alertParams`. */
type AlertFilter = { readonly [N in keyof typeof alertParams]: Values }

/** What the filter looks at in an alert. */
interface Concerned {
  readonly network: string
  /** Of a train that another network has too, its id there. */
  readonly other_train_id: string | null
  readonly nucleo_codes: readonly string[]
  readonly lines: readonly string[]
  readonly products: readonly string[]
  readonly hashtags: readonly { readonly line: string }[]
  readonly kind: string
  readonly effect: string | null
}

/** True where an alert is one that is asked for, whatever station is. A line is one of its lines, products or hashtags. */
export function isAsked(filter: AlertFilter, one: Concerned): boolean {
  const { network, nucleo, line, kind, effect } = filter
  return (
    isAmong(network, [one.network, ...(one.other_train_id === null ? [] : [networkOf(one.other_train_id)])]) &&
    isAmong(nucleo, one.nucleo_codes) &&
    (isAmong(line, one.lines) || isAmong(line, one.products) || one.hashtags.some((tag) => isAmong(line, [tag.line]))) &&
    isAmong(kind, [one.kind]) &&
    isAmong(effect, one.effect === null ? [] : [one.effect])
  )
}

function isAmong(wanted: Values, values: readonly string[]): boolean {
  return wanted === null || values.some((value) => wanted.includes(value))
}

/** Condition that an alert's row is one that is asked for: `isAsked` in SQL, but for the line. */
export function isAskedSql(filter: AlertFilter): Sql {
  const { network, nucleo, station, kind, effect } = filter
  const c = (name: keyof typeof railAlerts.columns): Sql => column(railAlerts, name)
  const parts = [sql`true`]
  if (network) parts.push(isOneOf(c('network'), network))
  if (nucleo) parts.push(hasOneOf(c('nucleo_codes'), nucleo))
  if (station) parts.push(hasOneOf(c('stop_ids'), station))
  if (kind) parts.push(isOneOf(c('kind'), kind))
  if (effect) parts.push(isOneOf(c('effect'), effect))
  return sql`(${join(parts, sql` AND `)})`
}

/** The same of the line, for rows that have the `products` of their trains too. */
export function isOfLineSql({ line }: AlertFilter): Sql {
  if (!line) return sql`true`
  const tagged = sql`json_extract_string(${column(railAlerts, 'hashtags')}, '$[*].line')`
  const lists = [column(railAlerts, 'lines'), tagged, sql`products`]
  return sql`(${join(
    lists.map((list) => hasOneOf(list, line)),
    sql` OR `,
  )})`
}

function hasOneOf(list: Sql, values: readonly string[]): Sql {
  return sql`list_has_any(${list}, ${bind('values', railAlerts.columns.lines, values)})`
}
