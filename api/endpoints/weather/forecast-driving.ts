import { DRIVING_CONDITIONS, FOG_CLASSES, RAIN_CLASSES, SNOW_CLASSES, WIND_CLASSES } from '../../../lake/datasets/weather/codes.ts'
import type { weatherForecastHourly } from '../../../lake/datasets/weather/forecasts.ts'
import { field, maybe, nested, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { GUST_FROM_M_S, SNOW_UP_TO_C } from './weather.ts'

type Hour = Pick<
  StateRow<typeof weatherForecastHourly>,
  | 'valid_from'
  | 'phenomenon'
  | 'precipitation_mm'
  | 'precipitation_flag'
  | 'snow_mm'
  | 'snow_flag'
  | 'temp_c'
  | 'wind_mean_m_s'
  | 'gust_m_s'
>

/** AEMET's classes by upper bound; values above the last bound are `over`. */
interface Scale {
  readonly steps: readonly (readonly [upTo: number, code: string])[]
  readonly over: string
}

const RAIN: Scale = {
  steps: [
    [0, 'NONE'],
    [2, 'LIGHT'],
    [15, 'MODERATE'],
    [30, 'HEAVY'],
    [60, 'VERY_HEAVY'],
  ],
  over: 'TORRENTIAL',
}
const SNOW: Scale = {
  steps: [
    [0, 'NONE'],
    [0.5, 'LIGHT'],
    [4, 'MODERATE'],
  ],
  over: 'HEAVY',
}
/** In km/h, as AEMET states them. */
const WIND: Scale = {
  steps: [
    [5, 'CALM'],
    [20, 'LIGHT'],
    [40, 'MODERATE'],
    [70, 'STRONG'],
    [120, 'VERY_STRONG'],
  ],
  over: 'HURRICANE',
}
const SIGHT = ['NONE', 'HAZE', 'MIST', 'FOG'] as const
const KMH_PER_M_S = 3.6

/** The rules of the summary, for descriptions. */
export const DRIVING_RULES =
  '`driving` summarises the hours by the classes of AEMET. Rain: the wettest hour, LIGHT to 2 mm, MODERATE to 15, HEAVY to 30, VERY_HEAVY to 60, then TORRENTIAL; a trace is LIGHT. Snow: the same, with 1 mm of water as 1 cm: LIGHT to 0.5 cm, MODERATE to 4, then HEAVY. Fog: the worst of FOG, MIST and HAZE in the sky state. Wind: the stronger of wind and gusts, CALM to 5 km/h, LIGHT to 20, MODERATE to 40, STRONG to 70, VERY_STRONG to 120, then HURRICANE. `conditions` are those of `/api/weather`: RAIN, SNOWFALL for snow or any precipitation at 1 °C or less, FOG, and STRONG_WIND at gusts of 19.4 m/s or more.'

const conditionsField = field.list('Adverse driving conditions; empty if none.', field.code('A condition.', DRIVING_CONDITIONS), ['RAIN'])

/** Values derived from one hour. */
export const hourConditions = { conditions: conditionsField } as const

/** Driving summary of hours. */
export const drivingFields = {
  conditions: conditionsField,
  first_condition_at: maybe.instant('Begin of the first hour with a condition; null without one.', '2026-01-09T12:00:00.000Z'),
  rain: field.code('Rain of the wettest hour.', RAIN_CLASSES, 'LIGHT'),
  rain_max_mm: maybe.decimal('Precipitation of the wettest hour, including snow.', 'mm', 1, 0.5),
  snow: field.code('Snow of the hour with most snow.', SNOW_CLASSES, 'LIGHT'),
  snow_total_mm: maybe.decimal('Snow of all hours, as water.', 'mm', 1, 0.1),
  fog: field.code('Worst obstruction of sight.', FOG_CLASSES, 'NONE'),
  wind: field.code('Strongest wind or gust.', WIND_CLASSES, 'MODERATE'),
  gust_max_m_s: maybe.decimal('Strongest gust.', 'm/s', 1, 6.7),
  temp_min_c: maybe.integer('Lowest temperature of the air.', 'Cel', 4),
} as const

export const drivingField = nested.object('Driving summary of the forecast, over all of its hours.', drivingFields)

/** Adverse driving conditions of an hour, in list order. */
export function forecastConditions(hour: Hour): string[] {
  const snows = some(hour.snow_mm, hour.snow_flag) || /SNOW/.test(hour.phenomenon ?? '')
  const falls = some(hour.precipitation_mm, hour.precipitation_flag)
  const freezes = falls && hour.temp_c !== null && hour.temp_c <= SNOW_UP_TO_C
  const found = {
    RAIN: falls && !snows && !freezes,
    SNOWFALL: snows || freezes,
    FOG: hour.phenomenon === 'FOG',
    STRONG_WIND: (hour.gust_m_s ?? 0) >= GUST_FROM_M_S,
  }
  return Object.entries(found).flatMap(([code, is]) => (is ? [code] : []))
}

/** Summarises hours for driving. */
export function drivingOf(hours: readonly Hour[]): ValueOf<typeof drivingFields> {
  const all = hours.map((hour) => ({ at: hour.valid_from, conditions: forecastConditions(hour) }))
  const worst = (...of: readonly (number | null)[]): number | null => of.reduce((one, other) => greater(one, other), null)
  const rain = worst(...hours.map(({ precipitation_mm }) => precipitation_mm))
  const hasTrace = hours.some(({ precipitation_flag }) => precipitation_flag === 'TRACE')
  const snow = hours.map(({ snow_mm }) => snow_mm).filter((one) => one !== null)
  const hasSnowTrace = hours.some(({ snow_flag }) => snow_flag === 'TRACE')
  const gust_max_m_s = worst(...hours.map(({ gust_m_s }) => gust_m_s))
  const wind = worst(gust_max_m_s, ...hours.map(({ wind_mean_m_s }) => wind_mean_m_s))
  const temps = hours.map(({ temp_c }) => temp_c).filter((one) => one !== null)
  const sight = Math.max(0, ...hours.map(({ phenomenon }) => SIGHT.indexOf(phenomenon as (typeof SIGHT)[number])))
  return {
    conditions: Object.keys(DRIVING_CONDITIONS.codes).filter((code) => all.some(({ conditions }) => conditions.includes(code))),
    first_condition_at: all.find(({ conditions }) => conditions.length > 0)?.at ?? null,
    rain: classOf(RAIN, hasTrace ? Math.max(rain ?? 0, TRACE_MM) : (rain ?? 0)),
    rain_max_mm: rain,
    snow: classOf(SNOW, hasSnowTrace ? Math.max(...snow, TRACE_MM) : Math.max(0, ...snow)),
    snow_total_mm: snow.length === 0 ? null : Math.round(10 * snow.reduce((sum, one) => sum + one, 0)) / 10,
    fog: SIGHT[sight] as string,
    wind: classOf(WIND, Math.round((wind ?? 0) * KMH_PER_M_S)),
    gust_max_m_s,
    temp_min_c: temps.length === 0 ? null : Math.min(...temps),
  }
}

/** Value of a trace, so that its class is LIGHT. */
const TRACE_MM = 0.05
const some = (mm: number | null, flag: string | null): boolean => (mm ?? 0) > 0 || flag === 'TRACE'
const greater = (one: number | null, other: number | null): number | null => (one === null || (other !== null && other > one) ? other : one)
const classOf = ({ steps, over }: Scale, value: number): string => steps.find(([upTo]) => value <= upTo)?.[1] ?? over
