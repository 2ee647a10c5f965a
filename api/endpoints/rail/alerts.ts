import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { ALERT_EFFECTS, LONG_DISTANCE, RAIL_ALERT_KINDS } from '../../../lake/datasets/rail/codes.ts'
import { railRoutes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { dayFromToday, idOfListed } from '../../kernel/example.ts'
import { LANGS } from '../../kernel/fields.ts'
import { codeParam, listOf, required, textParam } from '../../kernel/params/params.ts'
import { periodParams } from '../../kernel/params/params-time.ts'
import { problem } from '../../kernel/problems.ts'
import { endedDuring } from '../../kernel/reads/active-during.ts'
import { appliedByRead, columnFilter, columnsOf, defineFilter, hasOneOf, isOneOf, predicateOf } from '../../kernel/reads/filter.ts'
import type { MemoryAsk } from '../../kernel/reads/memory-read.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'
import { PAST_FIELDS, type PastRow, pastOf, pastRecord } from '../lifecycle-fields.ts'
import { ABOUT_ALERTS, ALERTS_PAGE, type AlertRow, alert, alertDetail, changedAlert, localise, toAlertDetail } from './alert.ts'
import { ALERT_STATES, type CurrentAlert, concernsStations, currentAlerts } from './alert-trains.ts'
import { alertStationParam, namesAreKnown, railParams } from './known-names.ts'
import { lacksNucleo } from './live-trips.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { productsIn, versionsInForce } from './punctuality-sql.ts'
import { besideRenfe, TIMETABLE_TABLES } from './timetable-versions.ts'
import { networkOf } from './train.ts'

/** An alert of a train that is in two networks belongs to both. */
const networkFilter = defineFilter({
  name: 'network',
  param: railParams.network,
  matches:
    (networks) =>
    ({ network, other_train_id }: { readonly network: string; readonly other_train_id: string | null }) =>
      networks.includes(network) || (other_train_id !== null && networks.includes(networkOf(other_train_id))),
  present: { network: ({ network, other_train_id }) => (other_train_id === null ? network : [network, networkOf(other_train_id)]) },
  columns: ['network'],
  where: (networks, columns) => isOneOf(columns('network'), networks),
})

const nucleoFilter = defineFilter({
  name: 'nucleo',
  param: railParams.nucleo,
  matches:
    (nucleos) =>
    ({ nucleo_codes }: { readonly nucleo_codes: readonly string[] }) =>
      nucleo_codes.some((code) => nucleos.includes(code)),
  present: { nucleo: ({ nucleo_codes }) => nucleo_codes },
  columns: ['nucleo_codes'],
  where: (nucleos, columns) => hasOneOf(columns('nucleo_codes'), nucleos),
})

/** Properties that state which lines an alert concerns. */
interface OfLines {
  readonly lines: readonly string[]
  readonly products: readonly string[]
  readonly hashtags: readonly { readonly line: string }[]
}

function linesOf({ lines, products, hashtags }: OfLines): string[] {
  return [...lines, ...products, ...hashtags.map((tag) => tag.line)]
}

/** Matches an alert's lines, products or hashtags. In SQL, `products` come from the timetable. */
const lineFilter = defineFilter({
  name: 'line',
  param: railParams.line,
  matches: (lines) => (one: OfLines) => linesOf(one).some((line) => lines.includes(line)),
  present: { line: linesOf },
  columns: ['lines', 'products', 'hashtags'],
  where: (lines, columns) => {
    const tagged = sql`json_extract_string(${columns('hashtags')}, '$[*].line')`
    return sql`(${hasOneOf(columns('lines'), lines)} OR ${hasOneOf(columns('products'), lines)} OR ${hasOneOf(tagged, lines)})`
  },
})

const stationFilter = defineFilter({
  name: 'station',
  param: railParams.station,
  matches:
    (stations) =>
    ({ stop_ids }: { readonly stop_ids: readonly string[] }) =>
      stop_ids.some((id) => stations.includes(id)),
  columns: ['stop_ids'],
  where: (stations, columns) => hasOneOf(columns('stop_ids'), stations),
})

const kindFilter = columnFilter('kind', listOf(codeParam('Kind of alert.', RAIL_ALERT_KINDS, { example: 'CANCELLED' })), 'kind')
const effectFilter = columnFilter(
  'effect',
  listOf(codeParam('Effect that the source states.', ALERT_EFFECTS, { example: 'REDUCED_SERVICE' })),
  'effect',
)

/** Filters of current alerts. Only the timetables know which stations an alert concerns. */
const currentAlertFilters = [
  networkFilter,
  nucleoFilter,
  lineFilter,
  appliedByRead('station', alertStationParam),
  kindFilter,
  effectFilter,
] as const

/** Filters of past alerts. */
const pastAlertFilters = [networkFilter, nucleoFilter, lineFilter, stationFilter, kindFilter, effectFilter] as const

/** Fallback if the timetables cannot be read: alerts still name stations. */
const NO_NETWORK = { stations: new Map(), routes: new Map() } as const

/** Throws if lines and stations are unknown because their timetables have not landed or cannot be read now. */
async function checkNamesKnown(extra: MemoryAsk<readonly []>['optional']): Promise<void> {
  const areKnown = await namesAreKnown(extra)
  if (areKnown === null) throw problem('feed-unavailable', 'The timetables, which name lines and stations, cannot be read now.')
  if (areKnown) return
  throw noDataYet('The lines and stations of trains are not known yet', {
    missing: [railRoutes],
    waits_for: ['the timetables of all networks'],
  })
}

/** The specification's list of current alerts. */
export const alertList = defineEndpoint({
  path: '/api/trenes/alertas',
  plan: 'FREE',
  summary: 'Current railway alerts: notices, cancelled trains, delays of more than 5 minutes',
  summary_es: 'Alertas ferroviarias: avisos, trenes suprimidos y retrasos de más de 5 min',
  about: `Notices are refreshed every 2 minutes, cancellations and delays every 20 to 30 seconds. Without \`limit\` the reply contains all alerts. ${ABOUT_ALERTS} Alerts of a núcleo that a publication lacks stay, marked \`is_stale\`.`,
  explained: ALERTS_PAGE,
  filters: currentAlertFilters,
  returns: listReturn('alerts', alert, {
    sorts: ['id', 'first_seen_at', 'updated_at', 'active_from', 'delay_s'],
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: ALERT_STATES,
    lake: NETWORK_TABLES,
    otherSources: besideRenfe,
    needs: [],
    isOfAny: true,
    answer: async ({ states, optional: extra }, p) => {
      const network = p.station && ((await extra(railNetwork, '')) ?? NO_NETWORK)
      const isThere = p.station && network ? concernsStations(p.station, network) : () => true
      const isAsked = predicateOf<CurrentAlert['shown']>(currentAlertFilters, p, 0) ?? (() => true)
      const found = (await currentAlerts(states, extra)).listed.flatMap(({ shown }) => (isAsked(shown) && isThere(shown) ? [shown] : []))
      // Only the timetables know which trains serve a station or belong to a product.
      if (found.length === 0 && (p.line || p.station)) await checkNamesKnown(extra)
      return { records: found, counts: {}, isLacking: lacksNucleo(states, p) }
    },
  },
  example: { nucleo: '10', kind: 'NOTICE' },
})

/** One alert, by its public id. */
export const alertById = defineEndpoint({
  path: '/api/trenes/alertas/{id}',
  plan: 'FREE',
  summary: 'One railway alert, also after its end',
  summary_es: 'Una alerta ferroviaria, también después de su fin',
  about: `An ended alert has the status ENDED, its last publication and the one that confirmed its end. It comes from the log of changes or from the lake. ${ABOUT_ALERTS}`,
  explained: ALERTS_PAGE,
  params: { id: required(textParam('Public id of the alert.', { max: 60, example: 'ral_7Q2M9KX4B1TZ5H3D' })) },
  returns: { kind: 'one', record: alertDetail },
  read: {
    kind: 'memory',
    from: ALERT_STATES,
    lake: TIMETABLE_TABLES,
    otherSources: besideRenfe,
    needs: [],
    answer: async ({ states, optional: extra }, { id }) => {
      const found = (await currentAlerts(states, extra)).all.find(({ row }) => row.alert_id === id)
      return found ? toAlertDetail(found.row) : null
    },
    past: {
      ended: (change, { id }) => (change.kind === 'ENDED' && change.row['alert_id'] === id ? changedAlert(change) : null),
      query: ({ id }) => sql`
        SELECT *, true AS is_stale
        FROM ${scan(railAlerts, { alert_id: { eq: id } })}
        ORDER BY ${column(railAlerts, 'observed_at')} DESC
        LIMIT 1`,
      columns: tableColumns(railAlerts),
      // An alert still active in the lake is not in the current state: its end has not landed yet.
      finish: (row: AlertRow) => ({ ...toAlertDetail(row), status: 'ENDED', end_reason: 'DISAPPEARED' }),
    },
  },
  example: { id: idOfListed('ral_7Q2M9KX4B1TZ5H3D') },
})

/** How long before the end of an alert the service day of its train may have begun, ms. */
const SERVICE_MS = 2 * 86_400_000

const pastAlert = pastRecord('PastRailAlert', 'An ended alert with its last state.', alert.fields, {
  examples: {
    ...{ began_at: '2026-08-25T08:53:00.000Z', last_seen_at: '2026-08-25T13:49:16.000Z' },
    ...{ ended_at: '2026-08-25T13:55:16.000Z', duration_minutes: 296 },
  },
  localise,
  languages: LANGS,
  omitsNull: ['effect'],
})

/** Alerts that ended in a period. */
export const pastAlertList = defineEndpoint({
  path: '/api/trenes/alertas/historico',
  plan: 'PRO',
  summary: 'Railway alerts that ended in a period, with their duration',
  summary_es: 'Alertas ferroviarias que terminaron en un periodo, con su duración',
  about: `Each alert once, by its last end: one that comes back within 30 minutes continues. From the lake, at most ten minutes behind the live state; \`meta.covered_until\` says how far. Filters apply to the last state. Derived alerts name no stations here, so \`station\` finds none of them.`,
  explained: ALERTS_PAGE,
  params: { period: periodParams({ span: '1 day' }) },
  filters: pastAlertFilters,
  returns: listReturn('alerts', pastAlert, {
    sorts: ['ended_at', 'began_at', 'duration_minutes', 'delay_s'],
    order: '-ended_at',
    limit: { default: 100, max: 1000 },
  }),
  read: {
    kind: 'lake',
    from: [railAlerts, railRoutes, railTrips],
    prequery: (p, lake) =>
      versionsInForce({ period: serviceDaysOf(lake.period(p.period, 1)), network: [LONG_DISTANCE], atStations: false }),
    query: (p, lake, found) => {
      const columns = columnsOf(railAlerts, { products: sql`products` })
      const wanted = lake.where(
        columns,
        pastAlertFilters.filter((one) => one !== lineFilter),
      )
      const past = endedDuring(railAlerts, lake.period(p.period, 1), { wanted, starts: 'active_from' })
      const products = productsIn(found.map((row) => row['timetable_version'] as string))
      return sql`
        SELECT *
        FROM (
          SELECT past.*, CASE WHEN trains.product IS NULL THEN [] ELSE [trains.product] END AS products
          FROM (${past}) AS past
          ASOF LEFT JOIN (${products}) AS trains
          ON past.network = trains.network AND past.train_number = trains.train_number AND past.service_date >= trains.first_day
        )
        WHERE ${lake.where(columns, [lineFilter])}`
    },
    rows: {
      columns: { ...tableColumns(railAlerts), id: alert.fields.id, products: alert.fields.products, ...PAST_FIELDS },
      finish: (row: AlertRow & PastRow) => ({ ...toAlertDetail(row), ...pastOf(row) }),
    },
  },
  example: { from: dayFromToday(-1, '2026-08-25'), to: dayFromToday(1, '2026-08-26'), nucleo: '10' },
})

/** The range of service days of alerts that end in a period, ms since the epoch. */
function serviceDaysOf({ from, to }: { readonly from: number; readonly to: number }): { readonly from: number; readonly to: number } {
  return { from: from - SERVICE_MS, to }
}
