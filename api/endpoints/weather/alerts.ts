import KDBush from 'kdbush'
import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { ALERT_LEVELS, ALERT_PHENOMENA } from '../../../lake/datasets/weather/codes.ts'
import { weatherAlerts } from '../../../lake/datasets/weather/weather-alerts.ts'
import { boxOfRegion, provincesOf } from '../../../lake/places/regions.ts'
import { isInPolygons } from '../../../lake/places/rings.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import type { MultiPolygon, Point } from '../../../lake/schema/columns.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { idOfListed, onlyOfRows } from '../../kernel/example.ts'
import { field, type Lang, maybe, nested, pick, projection, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { shapeFilter } from '../../kernel/filters.ts'
import { codeParam, listOf, required, textParam } from '../../kernel/params/params.ts'
import { provinceParam, roadName } from '../../kernel/params/params-place.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { changedMembers } from '../../kernel/reads/changed.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { touches } from '../../kernel/reads/geo.ts'
import { ABOUT_CHANGES, CHANGES_PAGE, changedBy, changeFields, changesReturn } from '../changes.ts'
import { originFields, provinceName } from '../common-fields.ts'
import { END_FIELDS } from '../lifecycle-fields.ts'
import { NEWEST } from './near-road.ts'

const roadFields = {
  road: roadPoints.columns.road,
  province_code: roadPoints.columns.province_code,
  km_from: field.decimal('Kilometre of its first point there.', 'km', 1, 586.5),
  km_to: field.decimal('Kilometre of its last point there.', 'km', 1, 598),
  points: field.integer('Located points of the road there.', '1', 7),
} as const

type AlertRoad = ValueOf<typeof roadFields>

/** The roads in the zones of a warning. */
const alertRoadsField = nested.maybeObjects(
  'Roads with located points (`road_points`) in its zones, those with the most first; null until such points are known, and once the warning has left the current state.',
  roadFields,
)

type RoadPoint = Pick<AlertRoad, 'road' | 'province_code'> & { readonly km: number; readonly position: Point }

/** The located points of all roads, and which roads have some in an area. */
class RoadsByArea {
  readonly #points: readonly RoadPoint[]
  readonly #tree: KDBush
  /** Zones are the same objects from reply to reply. */
  readonly #found = new WeakMap<MultiPolygon, readonly AlertRoad[]>()

  constructor(points: readonly RoadPoint[]) {
    this.#points = points
    this.#tree = new KDBush(points.length)
    for (const { position } of points) this.#tree.add(position.lon, position.lat)
    this.#tree.finish()
  }

  /** The roads with points in an area, by province. */
  roadsIn(area: MultiPolygon): readonly AlertRoad[] {
    const known = this.#found.get(area)
    if (known) return known
    const corners = area.flat(2)
    const [lons, lats] = [corners.map(([lon]) => lon), corners.map(([, lat]) => lat)]
    const near = this.#tree.range(Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats))
    const inside = near.map((at) => this.#points[at] as RoadPoint).filter(({ position: { lon, lat } }) => isInPolygons(area, [lon, lat]))
    const roads = [...Map.groupBy(inside, ({ road, province_code }) => `${province_code} ${roadName(road)}`).values()].map(roadOf)
    roads.sort((one, other) => other.points - one.points || (roadKey(one) < roadKey(other) ? -1 : 1))
    this.#found.set(area, roads)
    return roads
  }
}

function roadOf(points: readonly RoadPoint[]): AlertRoad {
  const [{ road, province_code }] = points as [RoadPoint]
  const kms = points.map(({ km }) => km)
  return { road: roadName(road), province_code, km_from: Math.min(...kms), km_to: Math.max(...kms), points: points.length }
}

const roadKey = ({ road, province_code }: AlertRoad): string => `${road} ${province_code}`

/** The located points of all roads, as of the newest month; null without any. */
const roadsByArea = defineCachedQuery<RoadsByArea | null>({
  name: 'roads by area',
  from: [roadPoints],
  async read({ all }) {
    const points = await all<RoadPoint>(sql`
      SELECT road, province_code, km, position_lat, position_lon
      FROM ${scan(roadPoints)}
      WHERE ${NEWEST}
      ORDER BY road, province_code, km`)
    return points.length === 0 ? null : new RoadsByArea(points)
  },
})

const { columns } = weatherAlerts

/** Description shared by all endpoints with warnings. */
const ABOUT_ALERTS =
  "AEMET's warnings for the next three days, by zone of its plan Meteoalerta. Green is the absence of a warning and is not listed. Times are instants; the offsets give the clock of the zone. Polygons are the zones. Comments of the forecaster are in Spanish in both languages."

/** Statistic metadata of a warning. */
const ALERT_FIGURE = {
  grain: 'One warning: a phenomenon, a level and a period, for one zone or several.',
  method:
    'As AEMET publishes it. `parameter_value` is the value expected somewhere in the zone, with a probability between `probability_min_pct` and `probability_max_pct`. `roads` counts the located points (`road_points`) inside the polygons.',
} as const

/** Why a warning has ended. */
const ALERT_END_REASONS = defineCodes('weather_alert_end_reason', 'Why a weather warning has ended.', {
  EXPIRED: ['Ha llegado a su fin', 'It came to its end'],
  WITHDRAWN: ['Retirado o sustituido antes de su fin', 'Withdrawn or replaced before its end'],
})

const texts = pick(columns, 'event', 'headline', 'description', 'instruction')
const textsEn = {
  event: columns.event_en,
  headline: columns.headline_en,
  description: columns.description_en,
  instruction: columns.instruction_en,
} as const

const zoneFields = {
  code: field.text('Code of the zone.', '622201'),
  name: field.text('Name of the zone.', 'Pirineo oscense'),
  province_code: maybe.text('INE code of its province; null if its code is unknown.', '22'),
  is_coastal: field.boolean('True for coastal waters.', false),
} as const
type Zone = ValueOf<typeof zoneFields>

const fields = {
  id: columns.alert_id,
  ...pick(columns, 'phenomenon', 'level'),
  ...texts,
  texts: nested.object('The texts by language; null for texts that the source does not have.', {
    es: nested.object('In Spanish.', texts),
    en: nested.object('In English.', textsEn),
  }),
  ...pick(columns, 'onset_at', 'onset_utc_offset', 'expires_at', 'expires_utc_offset'),
  ...pick(columns, 'parameter', 'parameter_value', 'parameter_unit', 'parameter_text', 'probability_min_pct', 'probability_max_pct'),
  ...pick(columns, 'severity', 'urgency', 'certainty', 'response_type', 'message_type', 'identifier', 'updates', 'sent_at'),
  provinces: field.list('Official names of the provinces of its zones.', field.text('Official name.'), ['Huesca']),
  province_codes: columns.province_codes,
  zones: nested.objects('Its zones, sorted by code.', zoneFields),
  geometry: columns.area,
  first_seen_at: columns.first_seen_at,
  ...originFields(columns, { source_id: columns.source_id }),
} as const

const ends = {
  last_seen_at: END_FIELDS.last_seen_at,
  ended_at: maybe.instant(
    'When it ended: at `expires_at`, or with the first package without it; null before, or if that has not landed.',
    null,
  ),
  end_reason: maybe.code('Why it is over.', ALERT_END_REASONS, null),
} as const

/** A warning in the requested language; missing texts stay Spanish. */
function localise<R extends ValueOf<typeof fields>>(alert: R, lang: Lang): R {
  if (lang !== 'en') return alert
  const { es, en } = alert.texts
  return {
    ...alert,
    event: en.event ?? es.event,
    headline: en.headline ?? es.headline,
    description: en.description ?? es.description,
    instruction: en.instruction ?? es.instruction,
  }
}

/** A warning, as lists show it. */
const alert = record('WeatherAlert', 'An official weather warning.', { ...fields, roads: alertRoadsField }, { localise })

/** A warning with its end, as the change feed shows it. */
export const alertState = record(
  'WeatherAlertState',
  'An official weather warning, also after its end.',
  { ...fields, ...ends },
  { localise },
)

/** A warning with its roads and its end, as its own path shows it. */
const alertDetail = record(
  'WeatherAlertDetail',
  'An official weather warning with the roads in its zones, also after its end.',
  { ...fields, roads: alertRoadsField, ...ends },
  { localise },
)

/** Names of the changed members, from the changed columns. */
export const changedOf: (changed: readonly string[]) => string[] = changedMembers(weatherAlerts, alertState.fields, {
  texts: [...Object.keys(texts), ...Object.keys(texts).map((name) => `${name}_en`)],
  provinces: ['province_codes'],
  zones: ['zones'],
  ...{ last_seen_at: ['status'], ended_at: ['status'], end_reason: ['status'] },
})

/** A row of the dataset, live or from its table. Only a row of an end has `last_seen_at`. */
type AlertRow = StateRow<typeof weatherAlerts> & { readonly last_seen_at?: number | null }
type AlertState = ValueOf<typeof alertState.fields>

/** Converts rows of the dataset to warnings, ended or not. */
export const toAlertState: (row: AlertRow) => AlertState = projection(weatherAlerts, alertState, {
  texts: (row) => ({
    es: pick(row, 'event', 'headline', 'description', 'instruction'),
    en: { event: row.event_en, headline: row.headline_en, description: row.description_en, instruction: row.instruction_en },
  }),
  provinces: (row) => row.province_codes.flatMap((code) => provinceName(code) ?? []),
  zones: (row) => row.zones as readonly Zone[],
  last_seen_at: (row: AlertRow) => (row.status === 'ENDED' ? (row.last_seen_at ?? null) : null),
  ended_at: () => null,
  end_reason: () => null,
})

/** A warning that had ended by an instant (ms): the time of the package without it, or later. */
export function endedBy(made: AlertState, at: number): AlertState {
  const isExpired = made.expires_at <= at
  return { ...made, status: 'ENDED', ended_at: isExpired ? made.expires_at : at, end_reason: isExpired ? 'EXPIRED' : 'WITHDRAWN' }
}

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
const changedAlertFilters = [provinceFilter, levelFilter, phenomenonFilter] as const
const alertFilters = [...changedAlertFilters, shapeFilter] as const

/** A warning expires on the second, usually before a full hour. */
const CLOCK_S = 60

/** Official weather warnings. */
export const weatherAlertList = defineEndpoint({
  path: '/api/weather/alerts',
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
  plan: 'FREE',
  summary: 'Weather warnings that were issued, changed or ended since a cursor',
  summary_es: 'Avisos meteorológicos emitidos, cambiados o terminados desde un cursor',
  about: ABOUT_CHANGES,
  explained: CHANGES_PAGE,
  statistic: ALERT_FIGURE,
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
