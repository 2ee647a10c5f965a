import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { REVIVAL_MS } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { record, type ValueOf } from '../../define/fields.ts'
import { livesIn } from '../../define/lives.ts'
import { geoParams, placeParams, roadParams } from '../../define/params-place.ts'
import { periodParams } from '../../define/params-time.ts'
import { isAtSql, isInsideSql, isOnRoadSql } from '../../define/place-sql.ts'
import { withExample } from '../tail.ts'
import { ABOUT_PLACE, END_REASONS, type IncidentRow, incident, localise, toIncidentDetail } from './incident.ts'
import { incidentParams, isOfKindSql } from './incident-params.ts'
import { ABOUT_DOUBLES, doublesIn, REPORTED_COLUMNS } from './same-incident.ts'

const { columns } = incidents

const OWN = {
  ended_at: col.instant(0, 'Publication that confirmed its end: the third newer complete one in a row without it.', {
    example: '2026-01-02T12:53:28.413Z',
  }),
  end_reason: col.code(0, 'Why it counts as ended.', END_REASONS, { example: 'DISAPPEARED' }),
  began_at: col.instant(
    0,
    'Start of validity where the source states one that is not after the end, else the first publication that had it.',
    {
      example: '2026-01-02T11:40:00.000Z',
    },
  ),
  last_seen_at: col.instant(0, 'Last publication that had it.', { example: '2026-01-02T12:50:28.413Z' }),
  duration_minutes: col.integer(0, 'From its begin to the last publication that had it, whole minutes.', { unit: 'min', example: 70 }),
  versions: col.integer(0, 'States it went through, its end included; /api/incidents/{id}/history lists them.', { unit: '1', example: 3 }),
} as const

/** An incident that is over, as it was last. */
const pastIncident = record(
  'PastIncident',
  'An incident that is over, as it was last.',
  { ...incident.fields, status: withExample(incident.fields.status, 'ENDED'), ...OWN },
  { localise },
)

const c = (name: keyof typeof columns | 'status' | 'last_seen_at' | 'position_lat' | 'position_lon'): Sql => column(incidents, name)

type EndedRow = IncidentRow & Pick<ValueOf<typeof OWN>, 'began_at' | 'last_seen_at' | 'duration_minutes' | 'versions'>

/** Incidents that ended in a period. */
export const pastIncidentList = defineEndpoint({
  path: '/api/incidents/history',
  domain: 'road',
  plan: 'PRO',
  summary: 'Incidents that ended in a period, with their duration',
  about: `Each once, by its last end: an incident that comes back within 30 minutes of its end goes on. From the lake, which follows the live state by at most ten minutes: \`meta.covered_until\` says how far. Filters look at its last state. ${ABOUT_PLACE} ${ABOUT_DOUBLES}`,
  params: { period: periodParams({ span: '1 day' }), place: placeParams, ...incidentParams, stretch: roadParams, geo: geoParams },
  returns: {
    kind: 'list',
    name: 'incidents',
    record: pastIncident,
    key: ['id'],
    id: 'id',
    sorts: ['ended_at', 'began_at', 'duration_minutes', 'road', 'km'],
    order: '-ended_at',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: [incidents],
    query: (p, lake) => {
      const { from, to } = lake.period(p.period, 1)
      const wanted = sql`${isAtSql(p.place, { province_code: c('province_code'), municipality_code: c('municipality_code') })}
        AND ${isOfKindSql(p, { type: c('type'), severity: c('severity') })}
        AND ${isOnRoadSql(p.stretch, { road: c('road'), km: c('km'), km_to: c('km_to') })}
        AND ${isInsideSql(p.geo, { lat: c('position_lat'), lon: c('position_lon') })}`
      return endedIn({ from, to }, wanted)
    },
    rows: {
      columns: { ...tableColumns(incidents), id: incident.fields.id, ...OWN },
      finish: (row: EndedRow) => ({ ...toIncidentDetail(row), ended_at: row.observed_at, ...ownOf(row) }),
    },
  },
  example: { from: '2026-01-02', to: '2026-01-03', province: 'Granada' },
})

function ownOf({ began_at, last_seen_at, duration_minutes, versions }: EndedRow): Omit<ValueOf<typeof OWN>, 'ended_at'> {
  return { end_reason: 'DISAPPEARED', began_at, last_seen_at, duration_minutes, versions }
}

/** How long before the period the other report of an incident may have ended, ms. */
const OTHERS_MS = 31 * 86_400_000

/** Lives whose last end lies in the period, with what they were last. */
function endedIn(period: { readonly from: number; readonly to: number }, wanted: Sql): Sql {
  const { from, to } = period
  // What came back did so within half an hour of its end, perhaps after the period.
  const later = scan(incidents, { observed_at: { gte: from, lte: to + REVIVAL_MS } })
  return sql`
    WITH lives AS MATERIALIZED (${livesIn(incidents, { from: from - OTHERS_MS, to }, REPORTED_COLUMNS)}),
    ended AS MATERIALIZED (
      SELECT *, coalesce(CASE WHEN ${c('starts_at')} <= seen_at THEN ${c('starts_at')} END, ${c('first_seen_at')}) AS began_at
      FROM (
        SELECT *, coalesce(${c('last_seen_at')}, ${c('observed_at')}) AS seen_at
        FROM ${scan(incidents, { status: { eq: 'ENDED' }, observed_at: { gte: from, lt: to } })}
        WHERE ${wanted}
      )
    ),
    counted AS (
      SELECT ${c('incident_id')}, count(*) AS versions
      FROM ${scan(incidents, { is_baseline: { eq: false }, observed_at: { lt: to } })}
      SEMI JOIN ended USING (incident_id)
      GROUP BY ${c('incident_id')}
    )
    SELECT
      ended.* EXCLUDE (last_seen_at),
      true AS is_stale,
      ended.incident_id AS id,
      'DISAPPEARED' AS end_reason,
      ended.observed_at AS ended_at,
      seen_at AS last_seen_at,
      CAST(floor(greatest(0, epoch(seen_at) - epoch(began_at)) / 60) AS INTEGER) AS duration_minutes,
      CAST(versions AS INTEGER) AS versions
    FROM ended
    JOIN counted USING (incident_id)
    ANTI JOIN (${doublesIn(sql`FROM lives`, c('incident_id'))}) AS doubles USING (incident_id)
    WHERE NOT EXISTS (
        SELECT 1 FROM ${later} AS again WHERE again.incident_id = ended.incident_id AND again.observed_at > ended.observed_at
      )`
}
