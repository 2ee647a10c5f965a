import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { record } from '../../kernel/fields.ts'
import { field } from '../../kernel/reply-fields.ts'
import { ABOUT_PLACE, changedOf, type IncidentRow, incidentDetail, toIncidentDetail } from './incident.ts'
import { incidentId } from './incident-detail.ts'

const VERSION = field.integer('Number of the version, from 1.', '1', 1)
const CHANGED = field.list(
  'Members that differ from the previous version (both members of a position); empty in the first version.',
  field.text('Name of a member.'),
  ['severity', 'updated_at'],
)

/** One past state of an incident. */
const version = record(
  'IncidentVersion',
  'One past state of an incident.',
  { version: VERSION, changed: CHANGED, ...incidentDetail.fields },
  {
    localise: (one, lang) => (lang === 'en' ? { ...one, description: one.descriptions.en } : one),
  },
)

/** Per column, its name in each version where its value differs from the previous one. */
const differences = [...Object.keys(incidents.columns), 'status'].map((name) => {
  const isPoint = incidents.columns[name as 'km']?.kind === 'point'
  const fields = isPoint ? [`${name}_lat`, `${name}_lon`] : [name]
  const differs = join(
    fields.map((field) => sql`${column(incidents, field)} IS DISTINCT FROM lag(${column(incidents, field)}) OVER story`),
    sql` OR `,
  )
  return sql`CASE WHEN ${differs} THEN ${name} END`
})

/** The versions of one incident. */
export const incidentHistory = defineEndpoint({
  path: '/api/incidents/{id}/history',
  domain: 'road',
  plan: 'PRO',
  summary: 'History of an incident: each version and its changes',
  summary_es: 'Historia de una incidencia: cada versión y qué cambió',
  about: `From the lake, at most ten minutes behind the live state; \`meta.covered_until\` says how far. ${ABOUT_PLACE}`,
  params: { id: incidentId },
  returns: {
    kind: 'list',
    name: 'versions',
    record: version,
    key: ['version'],
    sorts: ['version'],
    order: 'version',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: [incidents],
    query: ({ id }) => sql`
      SELECT
        *,
        ${column(incidents, 'status')} = 'ENDED' AS is_stale,
        CAST(row_number() OVER story AS INTEGER) AS version,
        CASE WHEN row_number() OVER story = 1 THEN '' ELSE concat_ws(',', ${join(differences)}) END AS changed
      FROM ${scan(incidents, { incident_id: { eq: id }, is_baseline: { eq: false } })}
      WINDOW story AS (ORDER BY ${column(incidents, 'observed_at')})`,
    rows: {
      columns: { ...tableColumns(incidents), version: VERSION, changed: field.text('Names of columns, separated by commas.') },
      finish: (row: IncidentRow & { version: number; changed: string }) => ({
        ...toIncidentDetail(row),
        version: row.version,
        changed: row.changed === '' ? [] : changedOf(row.changed.split(',')),
      }),
    },
    existenceCheck: {
      of: incidents,
      find: (state, { id }) => state.rows.some((row) => (row as unknown as IncidentRow).incident_id === id),
    },
  },
  example: { id: idOfListed('inc_7Q2M9KX4B1TZ') },
})
