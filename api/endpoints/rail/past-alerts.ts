import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { LANGS, record } from '../../define/fields.ts'
import { endedIn } from '../../define/lives.ts'
import { periodParams } from '../../define/params-time.ts'
import { type PastRow, pastFields, pastOf } from '../ends.ts'
import { withExample } from '../tail.ts'
import { ABOUT_ALERTS, type AlertRow, alert, localise, toAlertDetail } from './alert.ts'
import { alertParams, isAskedSql } from './alert-params.ts'

const OWN = pastFields({
  began_at: '2026-08-25T08:53:00.000Z',
  last_seen_at: '2026-08-25T13:49:16.000Z',
  ended_at: '2026-08-25T13:55:16.000Z',
  duration_minutes: 296,
})

const pastAlert = record(
  'PastRailAlert',
  'An alert that is over, as it was last.',
  { ...alert.fields, status: withExample(alert.fields.status, 'ENDED'), ...OWN },
  { localise, languages: LANGS },
)

/** Alerts that ended in a period. */
export const pastAlertList = defineEndpoint({
  path: '/api/trenes/alertas/historico',
  domain: 'rail',
  plan: 'PRO',
  summary: 'Railway alerts that ended in a period, with their duration',
  about: `Each once, by its last end: an alert that comes back within 30 minutes of its end goes on. From the lake, which follows the live state by at most ten minutes: \`meta.covered_until\` says how far. Filters look at its last state: \`delay_s\` is the delay it ended with; of derived alerts, which name no stations or products here, \`station\` and products in \`line\` find none. ${ABOUT_ALERTS}`,
  params: { period: periodParams({ span: '1 day' }), ...alertParams },
  returns: {
    kind: 'list',
    name: 'alerts',
    record: pastAlert,
    key: ['id'],
    id: 'id',
    sorts: ['ended_at', 'began_at', 'duration_minutes', 'delay_s'],
    order: '-ended_at',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: [railAlerts],
    query: (p, lake) => endedIn(railAlerts, lake.period(p.period, 1), { wanted: isAskedSql(p), starts: 'active_from' }),
    rows: {
      columns: { ...tableColumns(railAlerts), id: alert.fields.id, ...OWN },
      finish: (row: AlertRow & PastRow) => ({ ...toAlertDetail(row), ...pastOf(row) }),
    },
  },
  example: { from: '2026-08-25', to: '2026-08-26', nucleo: '10' },
})
