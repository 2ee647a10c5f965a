import { vmsDevices } from '../../../lake/datasets/road/vms-devices.ts'
import { vmsMessages } from '../../../lake/datasets/road/vms-messages.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { partitionStart } from '../../../lake/schema/partitions.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { record, type StateRow } from '../../kernel/fields.ts'
import { periodParams } from '../../kernel/params/params-time.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { displayFields, displayOf, panelId } from './panel.ts'

const FROM = field.instant('Publication that first had this state.', '2026-09-02T22:51:57.000Z')
const TO = maybe.instant('Publication with the next state; null while it is shown.', '2026-09-02T23:15:57.000Z')

const message = record('PanelMessage', 'A past or current state of a panel.', { shown_from: FROM, shown_to: TO, ...displayFields })

const c = (name: keyof typeof vmsMessages.columns | 'status' | 'is_baseline' | 'updated_at' | 'last_seen_at'): Sql =>
  column(vmsMessages, name)

/** The states of one panel over time. */
export const panelHistory = defineEndpoint({
  path: '/api/panels/{id}/history',
  domain: 'road',
  plan: 'PRO',
  summary: 'Messages that a variable-message panel showed, with their times',
  summary_es: 'Lo que mostró un panel de mensaje variable, desde cuándo y hasta cuándo',
  about:
    "Every state that overlaps the period, in full: it may begin before the period and end after it. `shown_from` and `shown_to` are publication times, `shown_since` is the time of the panel's clock. " +
    'If publications lack the panel for some time, its display is UNKNOWN during that time. From the lake, at most ten minutes behind the live state; `meta.covered_until` says how far.',
  params: { id: panelId, period: periodParams({ span: '7 days' }) },
  returns: {
    kind: 'list',
    name: 'messages',
    record: message,
    key: ['shown_from'],
    sorts: ['shown_from'],
    order: 'shown_from',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: [vmsMessages],
    query: ({ id, period }, lake) => {
      const { from, to } = lake.period(period, 7)
      // Each partition opens with the state of every panel, so the partition of the begin has the state at the begin.
      const rows = scan(vmsMessages, { panel_id: { eq: id }, observed_at: { gte: partitionStart(vmsMessages, from) } })
      return sql`
        SELECT *
        FROM (
          SELECT *, lead(shown_from) OVER (ORDER BY shown_from) AS shown_to
          FROM (
            SELECT *, CASE WHEN ${c('status')} = 'ACTIVE' THEN ${c('updated_at')} ELSE ${c('last_seen_at')} END AS shown_from
            FROM ${rows}
            QUALIFY NOT ${c('is_baseline')} OR row_number() OVER (ORDER BY ${c('observed_at')}) = 1
          )
        )
        WHERE shown_from < ${instant(to)} AND coalesce(shown_to > ${instant(from)}, true)`
    },
    rows: {
      columns: { ...tableColumns(vmsMessages), shown_from: FROM, shown_to: TO },
      finish: (row: StateRow<typeof vmsMessages> & { readonly shown_from: number; readonly shown_to: number | null }) => ({
        shown_from: row.shown_from,
        shown_to: row.shown_to,
        ...displayOf(row),
      }),
    },
    existenceCheck: {
      of: vmsDevices,
      find: (state, { id }) => state.rows.some((row: AnyRow) => row['panel_id'] === id),
      past: ({ id }) => sql`SELECT 1 AS one FROM ${scan(vmsMessages, { panel_id: { eq: id } })} LIMIT 1`,
    },
  },
  example: { id: '61441', from: dayFromToday(-1, '2026-09-02'), to: dayFromToday(1, '2026-09-04') },
})
