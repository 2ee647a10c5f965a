import { roadPoints } from '../../../lake/datasets/road/road-points.ts'
import { ALERT_LEVELS, ALERT_PHENOMENA } from '../../../lake/datasets/weather/alert-codes.ts'
import { weatherAlerts } from '../../../lake/datasets/weather/weather-alerts.ts'
import { boxOfRegion, provincesOf } from '../../../lake/places/regions.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import type { MultiPolygon } from '../../../lake/schema/columns.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { idOfListed, onlyOfRows } from '../../kernel/example.ts'
import { nested, record } from '../../kernel/fields.ts'
import { shapeFilter } from '../../kernel/filters/area.ts'
import { codeParam, listOf, required, textParam } from '../../kernel/params/params.ts'
import { provinceParam } from '../../kernel/params/params-place.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { touches } from '../../kernel/reads/geo.ts'
import { ABOUT_CHANGES, CHANGES_PAGE, changedBy, changeFields, changesReturn } from '../changes.ts'
import { ABOUT_ALERTS, ALERT_FIGURE, type AlertRow, alert, alertDetail, alertState, changedOf, endedBy, toAlertState } from './alert.ts'
import { roadsByArea } from './alert-roads.ts'

const provinceFilter = defineMemoryFilter({
  name: 'province',
  param: provinceParam,
  // An island is selected by its box: the zones of warnings cross municipalities.
  matches: (region) => {
    const box = boxOfRegion(region)
    const codes = provincesOf(region)
    return ({ province_codes, geometry }: { readonly province_codes: readonly string[]; readonly geometry: MultiPolygon | null }) =>
      province_codes.some((code) => codes.includes(code)) &&
      (box === null || (geometry !== null && touches({ kind: 'box', ...box }, geometry)))
  },
})
const levelFilter = columnFilter('level', listOf(codeParam('Level, exactly this.', ALERT_LEVELS, { example: 'ORANGE' })), 'level')
const phenomenonFilter = columnFilter(
  'phenomenon',
  listOf(codeParam('Phenomenon of the warning.', ALERT_PHENOMENA, { example: 'WIND' })),
  'phenomenon',
)

/** Filters of warnings by province, level and phenomenon; lists add filters by area. */
export const changedAlertFilters = [provinceFilter, levelFilter, phenomenonFilter] as const
export const alertFilters = [...changedAlertFilters, shapeFilter] as const

/** A warning expires on the second, usually before a full hour. */
const CLOCK_S = 60

/** Official weather warnings. */
export const weatherAlertList = defineEndpoint({
  path: '/api/weather/alerts',
  domain: 'weather',
  plan: 'FREE',
  summary: 'Official weather warnings, current and future',
  summary_es: 'Avisos meteorológicos oficiales, en vigor o por venir',
  about: ABOUT_ALERTS,
  statistic: ALERT_FIGURE,
  params: { at: instantParam('Only warnings in force at this time; by default all that have not expired.') },
  filters: alertFilters,
  returns: listReturn('alerts', alert, { sorts: ['id', 'onset_at', 'expires_at', 'sent_at', 'updated_at'] }),
  read: {
    kind: 'memory',
    from: [weatherAlerts],
    lake: [roadPoints],
    needs: [],
    clockGranularity_s: CLOCK_S,
    answer: async ({ states: [state], optional: extra }, { at }, now) => {
      const roads = await extra(roadsByArea, '')
      const isListed = (row: AlertRow): boolean => (at === null ? row.expires_at > now : row.onset_at <= at && row.expires_at > at)
      return state.rows.filter(isListed).map((row) => ({ ...toAlertState(row), roads: roads && roads.roadsIn(row.area) }))
    },
  },
  example: { province: 'Huesca', at: onlyOfRows('2024-04-06T10:00:00Z') },
})

/** One warning, by its public id. */
export const weatherAlertById = defineEndpoint({
  path: '/api/weather/alerts/{id}',
  domain: 'weather',
  plan: 'FREE',
  summary: 'One weather warning with its zones and roads, also after its end',
  summary_es: 'Un aviso meteorológico con sus zonas y carreteras, también tras su fin',
  about: `An ended warning comes from the log of changes or from the lake, with status ENDED. ${ABOUT_ALERTS}`,
  statistic: ALERT_FIGURE,
  params: { id: required(textParam('Public id of the warning.', { max: 60, example: 'wal_7Q2M9KX4B1TZ5H3D' })) },
  returns: { kind: 'one', record: alertDetail },
  read: {
    kind: 'memory',
    from: [weatherAlerts],
    lake: [roadPoints],
    needs: [],
    clockGranularity_s: CLOCK_S,
    answer: async ({ states: [state], optional: extra }, { id }, now) => {
      const found = state.rows.find((row) => row.alert_id === id)
      if (!found) return null
      const made = toAlertState(found)
      const roads = await extra(roadsByArea, '')
      return { ...(found.expires_at <= now ? endedBy(made, now) : made), roads: roads && roads.roadsIn(found.area) }
    },
    past: {
      ended: (change, { id }) =>
        change.kind === 'ENDED' && change.row['alert_id'] === id ? { ...endedBy(toAlertState(change.row), change.at), roads: null } : null,
      query: ({ id }) => sql`
        SELECT *, true AS is_stale
        FROM ${scan(weatherAlerts, { alert_id: { eq: id } })}
        ORDER BY ${column(weatherAlerts, 'observed_at')} DESC
        LIMIT 1`,
      columns: tableColumns(weatherAlerts),
      finish: (row: AlertRow) => ({ ...pastOf(row), roads: null }),
    },
  },
  example: { id: idOfListed('wal_7Q2M9KX4B1TZ5H3D') },
})

/** The last row of a warning that is no longer in the current state. If that is not its end, the end has not landed yet. */
function pastOf(row: AlertRow): ReturnType<typeof toAlertState> {
  const made = toAlertState(row)
  return row.status === 'ENDED' ? endedBy(made, row.observed_at) : { ...made, status: 'ENDED' }
}

/** One change of a warning. */
const alertChange = record(
  'WeatherAlertChange',
  'A change of a weather warning.',
  {
    id: weatherAlerts.columns.alert_id,
    ...changeFields(weatherAlerts.columns.observed_at),
    alert: nested.object('The warning after the change; for an ended one, its last state.', alertState.fields),
  },
  { localise: (change, lang) => ({ ...change, alert: alertState.localise?.(change.alert, lang) ?? change.alert }) },
)

/** The change feed of warnings. */
export const weatherAlertChanges = defineEndpoint({
  path: '/api/weather/alerts/changes',
  isExtra: true,
  domain: 'weather',
  plan: 'FREE',
  summary: 'Weather warnings that were issued, changed or ended since a cursor',
  summary_es: 'Avisos meteorológicos emitidos, cambiados o terminados desde un cursor',
  about: ABOUT_CHANGES,
  explained: CHANGES_PAGE,
  statistic: ALERT_FIGURE,
  params: {},
  filters: changedAlertFilters,
  returns: changesReturn(alertChange, ['id', 'at']),
  read: {
    kind: 'changes',
    from: [weatherAlerts],
    thing: (change) => (change.kind === 'ENDED' ? endedBy(toAlertState(change.row), change.at) : toAlertState(change.row)),
    entry: (made, change) => ({ id: made.id, kind: change.kind, at: change.at, changed: changedBy(change, changedOf), alert: made }),
  },
  example: { limit: '10' },
})
