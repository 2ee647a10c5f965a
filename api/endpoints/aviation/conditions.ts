import type { airportWeather } from '../../../lake/datasets/aviation/airport-weather.ts'
import type { AIRPORT_CONDITIONS } from '../../../lake/datasets/aviation/codes.ts'
import type { StateRow } from '../../kernel/fields.ts'

const VISIBILITY_BELOW_M = 1500
const CEILING_BELOW_M = 150
/** 25 knots, and a gale. */
const WIND_FROM_M_S = 12.9
const GUST_FROM_M_S = 17.2

/** Conditions in a report that delay flights, in the order of the code list. */
export function conditionsOf(
  report: Pick<StateRow<typeof airportWeather>, 'visibility_m' | 'ceiling_m' | 'wind_m_s' | 'gust_m_s' | 'weather'>,
): string[] {
  const { visibility_m, ceiling_m, wind_m_s, gust_m_s, weather } = report
  const found: Readonly<Record<keyof typeof AIRPORT_CONDITIONS.codes, boolean>> = {
    LOW_VISIBILITY: visibility_m !== null && visibility_m < VISIBILITY_BELOW_M,
    LOW_CEILING: ceiling_m !== null && ceiling_m < CEILING_BELOW_M,
    STRONG_WIND: (wind_m_s ?? 0) >= WIND_FROM_M_S || (gust_m_s ?? 0) >= GUST_FROM_M_S,
    THUNDERSTORM: /TS/.test(weather ?? ''),
    SNOW: /SN|SG|PL/.test(weather ?? ''),
    FREEZING: /FZ/.test(weather ?? ''),
  }
  return Object.entries(found).flatMap(([code, is]) => (is ? [code] : []))
}
