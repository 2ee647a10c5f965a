import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import { railRoutes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { LANGS } from '../../kernel/fields.ts'
import { periodParams } from '../../kernel/params/params-time.ts'
import { endedDuring } from '../../kernel/reads/active-during.ts'
import { columnsOf } from '../../kernel/reads/filter.ts'
import { PAST_FIELDS, type PastRow, pastOf, pastRecord } from '../lifecycle-fields.ts'
import { ALERTS_PAGE, type AlertRow, alert, localise, toAlertDetail } from './alert.ts'
import { lineFilter, pastAlertFilters } from './alert-filters.ts'
import { productsIn, versionsInForce } from './punctuality-sql.ts'

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
  domain: 'rail',
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
