import { weatherAlerts } from '../../../lake/datasets/weather/weather-alerts.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { type Lang, nested, pick, projection, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { changedMembers } from '../../kernel/reads/changed.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { originFields, provinceName } from '../common-fields.ts'
import { END_FIELDS } from '../lifecycle-fields.ts'
import { alertRoadsField } from './alert-roads.ts'

const { columns } = weatherAlerts

/** Description shared by all endpoints with warnings. */
export const ABOUT_ALERTS =
  "AEMET's warnings for the next three days, by zone of its plan Meteoalerta. Green is the absence of a warning and is not listed. Times are instants; the offsets give the clock of the zone. Polygons are the zones. Comments of the forecaster are in Spanish in both languages."

/** Statistic metadata of a warning. */
export const ALERT_FIGURE = {
  grain: 'One warning: a phenomenon, a level and a period, for one zone or several.',
  method:
    'As AEMET publishes it. `parameter_value` is the value expected somewhere in the zone, with a probability between `probability_min_pct` and `probability_max_pct`. `roads` counts the located points (`road_points`) inside the polygons.',
} as const

/** Why a warning has ended. */
const ALERT_END_REASONS = defineCodes('weather_alert_end_reason', 'Why a weather warning has ended.', {
  EXPIRED: ['Ha llegado a su fin', 'It came to its end'],
  WITHDRAWN: ['Retirado o sustituido antes de su fin', 'Withdrawn or replaced before its end'],
})

const texts = {
  ...pick(columns, 'event', 'headline', 'description', 'instruction'),
} as const
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
export const alert = record('WeatherAlert', 'An official weather warning.', { ...fields, roads: alertRoadsField }, { localise })

/** A warning with its end, as the change feed shows it. */
export const alertState = record(
  'WeatherAlertState',
  'An official weather warning, also after its end.',
  { ...fields, ...ends },
  { localise },
)

/** A warning with its roads and its end, as its own path shows it. */
export const alertDetail = record(
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
export type AlertRow = StateRow<typeof weatherAlerts> & { readonly last_seen_at?: number | null }
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
