import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { ABOUT_ALERTS, type AlertRow, alertDetail, changedAlert, toAlertDetail } from './alert.ts'
import { ALERT_STATES, currentAlerts } from './alert-trains.ts'
import { besideRenfe, TIMETABLE_TABLES } from './timetable-versions.ts'

/** One alert, by its public id. */
export const alertById = defineEndpoint({
  path: '/api/trenes/alertas/{id}',
  domain: 'rail',
  plan: 'FREE',
  summary: 'One railway alert, also after its end',
  summary_es: 'Una alerta ferroviaria, también después de su fin',
  about: `An ended alert comes from the log of changes or from the lake: status ENDED, the last publication that had it and the one that confirmed its end. ${ABOUT_ALERTS}`,
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
