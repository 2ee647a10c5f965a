import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { foldRoadSql } from '../../../lake/places/road-key.ts'
import { column, instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { RowOf } from '../../../lake/schema/columns.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, optional, record } from '../../kernel/fields.ts'
import { placeFilter, roadFilter } from '../../kernel/filters.ts'
import { listOf, oneOf } from '../../kernel/params/params.ts'
import { periodParams } from '../../kernel/params/params-time.ts'
import { activeDuring } from '../../kernel/reads/active-during.ts'
import { columnsOf } from '../../kernel/reads/filter.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { INCIDENTS_PAGE } from './incident.ts'
import { ABOUT_DUPLICATES, duplicatesIn, REPORTED_COLUMNS } from './same-incident.ts'

const { columns } = incidents

/** Dimensions to count by. */
const GROUPS = ['type', 'severity', 'province', 'road'] as const
type Group = (typeof GROUPS)[number]

const COUNTS = {
  active: field.integer('Active at the end of the period: without `to`, at the end of the data of the lake.', '1', 161),
  active_in_period: field.integer('Active at some time in the period.', '1', 184),
  began: field.integer('First seen in the period.', '1', 23),
  ended: field.integer('Ended in the period.', '1', 23),
} as const

const count = record('IncidentCount', 'Current and past number of incidents in a group; dimensions not grouped by are null.', {
  type: optional(columns.type, 'Kind of incident; null unless grouped by.'),
  severity: optional(columns.severity, 'Severity as the source grades it; null unless grouped by.'),
  province: provinceField(columns.province_code),
  province_code: columns.province_code,
  road: optional(columns.road, 'Road designation, in one of its spellings; null unless grouped by it, or if the source names none.'),
  ...COUNTS,
})
const { province: _name, ...COUNT_COLUMNS } = count.fields

const c = (name: keyof typeof columns): Sql => column(incidents, name)

/** Current number of incidents, and numbers of the last day. */
export const incidentStats = defineEndpoint({
  path: '/api/incidents/stats',
  plan: 'FREE',
  recent: { hours: 24, wider: 'PRO', period: 'period' },
  summary: 'Incidents by type, severity, province or road: now and in the last 24 hours',
  summary_es: 'Recuento de incidencias por tipo, gravedad, provincia o carretera',
  about: `Counts of one period, by default the last 24 hours. An incident counts with its last state in the period. From the lake, at most ten minutes behind the live state; \`meta.covered_until\` says how far. ${ABOUT_DUPLICATES}`,
  explained: INCIDENTS_PAGE,
  statistic: {
    grain: 'One value per requested group.',
    method:
      'Incidents active in the period, each counted once with its last state in the period. An incident reported by several sources counts once.',
  },
  params: {
    group_by: listOf(oneOf('Dimensions to count by, one or more; type by default.', GROUPS, { example: 'province' })),
    period: periodParams({ span: '1 day' }),
  },
  filters: [placeFilter, roadFilter],
  returns: keyedList('stats', count, ['type', 'severity', 'province_code', 'road'], {
    sorts: ['active', 'active_in_period', 'began', 'ended'],
    order: '-active',
    limit: { default: 100, max: 1000 },
  }),
  read: {
    kind: 'lake',
    from: [incidents],
    query: (p, lake) => {
      const period = lake.period(p.period, 1)
      const lives = activeDuring(incidents, period, [...REPORTED_COLUMNS, 'severity', 'municipality_code'])
      const by = (group: Group, value: Sql): Sql => ((p.group_by ?? ['type']).includes(group) ? value : sql`CAST(NULL AS VARCHAR)`)
      return sql`
        WITH lives AS MATERIALIZED (${lives})
        SELECT
          ${join([
            sql`${by('type', sql`one.type`)} AS type`,
            sql`${by('severity', sql`one.severity`)} AS severity`,
            sql`${by('province', sql`one.province_code`)} AS province_code`,
            sql`min(${by('road', sql`one.road`)}) AS road`,
            sql`count(*) FILTER (WHERE one.status <> 'ENDED') AS active`,
            sql`count(*) AS active_in_period`,
            sql`count(*) FILTER (WHERE one.first_seen_at >= ${instant(period.from)}) AS began`,
            sql`count(*) FILTER (WHERE one.status = 'ENDED') AS ended`,
          ])}
        FROM lives AS one
        ANTI JOIN (${duplicatesIn(sql`FROM lives`, c('incident_id'))}) AS doubles USING (incident_id)
        WHERE ${lake.where(columnsOf(incidents))}
        GROUP BY ${join([
          by('type', sql`one.type`),
          by('severity', sql`one.severity`),
          by('province', sql`one.province_code`),
          by('road', foldRoadSql(sql`one.road`)),
        ])}`
    },
    rows: {
      columns: COUNT_COLUMNS,
      finish: (row: RowOf<typeof COUNT_COLUMNS>) => ({ ...row, province: provinceName(row.province_code) }),
    },
  },
  example: { group_by: 'type,province', province: 'Granada' },
})
