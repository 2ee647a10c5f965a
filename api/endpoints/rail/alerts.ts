import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { railRoutes } from '../../../lake/datasets/rail/timetable.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { problem } from '../../kernel/problems.ts'
import { predicateOf } from '../../kernel/reads/filter.ts'
import type { MemoryAsk } from '../../kernel/reads/memory-read.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'
import { ABOUT_ALERTS, ALERTS_PAGE, type AlertRow, alert, alertDetail, changedAlert, toAlertDetail } from './alert.ts'
import { currentAlertFilters } from './alert-filters.ts'
import { ALERT_STATES, type CurrentAlert, currentAlerts } from './alert-trains.ts'
import { concernsStations } from './alerts-of.ts'
import { namesAreKnown } from './known-names.ts'
import { lacksNucleo } from './live-trips.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { besideRenfe, TIMETABLE_TABLES } from './timetable-versions.ts'

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
  domain: 'rail',
  plan: 'FREE',
  summary: 'Current railway alerts: notices, cancelled trains, delays of more than 5 minutes',
  summary_es: 'Alertas ferroviarias: avisos, trenes suprimidos y retrasos de más de 5 min',
  about: `Notices are refreshed every 2 minutes, cancellations and delays every 20 to 30 seconds. Without \`limit\` the reply contains all alerts. ${ABOUT_ALERTS} Alerts of a núcleo that a publication lacks stay, marked \`is_stale\`.`,
  explained: ALERTS_PAGE,
  params: {},
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
  domain: 'rail',
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
