import { aemet } from '../../../lake/datasets/weather/sources.ts'
import { weatherDaily } from '../../../lake/datasets/weather/weather-days.ts'
import { commaNumber } from '../../formats/numbers.ts'
import { type FeedRequest, FormatError, lookUp } from '../define.ts'
import { jsonFeed } from '../kit/record-feed.ts'
import { daysFrom } from '../periods.ts'
import { windDirection } from '../wind.ts'
import { aemetRequest, isNoData, readRecords } from './aemet.ts'

/** Long series start in 1920. */
const FIRST = '1920-01-01'
const PERIOD = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^(\d{1,2})(?::(\d{2}))?$/
/** The placeholder for a time if there were several. */
const SEVERAL = 'Varias'
/** `prec` without a number: too little to measure, or included in a later day's sum. */
const FLAGS: Readonly<Record<string, { readonly flag: string; readonly mm: number | null }>> = {
  ip: { flag: 'TRACE', mm: 0 },
  acum: { flag: 'ACCUMULATED', mm: null },
}
/** Values of `dir` (tens of degrees) that are not a direction: variable, and unknown. */
const NO_DIRECTION = new Set(['99', '88'])

/**
 * AEMET's daily climatology of all stations, requested by days: at most 15 per request. The newest days are not available yet.
 */
export const aemetDaily = jsonFeed({
  id: 'aemet_daily',
  source: aemet,
  into: weatherDaily,
  every_s: 86_400,
  get: dayRequest('2025-01-01'),
  archive: { unit: 'day', index: [], files: daysFrom(FIRST, (day) => dayRequest(day).url), recent: 10, isAbsent: isNoData },
  freshBy: 'fetch',
  band: { atLeast: 50 },
  columns: {
    day: 'fecha',
    id: 'indicativo',
    precipitation: 'prec',
    mean: 'tmed',
    min: 'tmin',
    min_at: 'horatmin',
    max: 'tmax',
    max_at: 'horatmax',
    direction: 'dir',
    wind: 'velmedia',
    gust: 'racha',
    gust_at: 'horaracha',
    pressure_max: 'presMax',
    pressure_max_at: 'horaPresMax',
    pressure_min: 'presMin',
    pressure_min_at: 'horaPresMin',
    sun: 'sol',
    humidity: 'hrMedia',
    humidity_max: 'hrMax',
    humidity_max_at: 'horaHrMax',
    humidity_min: 'hrMin',
    humidity_min_at: 'horaHrMin',
  },
  knows: ['nombre', 'provincia', 'altitud'],
  needs: ['day', 'id'],
  nonEmptyFields: ['mean'],
  decimal: 'comma',
  records: readRecords,
  // A file has the requested day.
  file: ({ name }) => ({ asked: PERIOD.test(name) ? name : null }),
  row(r, { asked }) {
    const day = r.date('day')
    if (asked !== null && day !== asked) throw new FormatError('a day other than the file')
    const start = Date.parse(day)
    const at = (field: `${string}_at` & Parameters<typeof r.text>[0]): number | null =>
      r.parsed(field, 'time', (text) => momentOf(text, start))
    const special = lookUp(FLAGS, r.text('precipitation')?.toLowerCase() ?? null)
    return {
      source: aemet.id,
      day,
      station_id: r.text('id'),
      day_starts_at: start,
      precipitation_mm: special ? special.mm : r.number('precipitation'),
      precipitation_flag: special?.flag ?? null,
      temp_mean_c: r.number('mean'),
      temp_min_c: r.number('min'),
      temp_min_at: at('min_at'),
      temp_max_c: r.number('max'),
      temp_max_at: at('max_at'),
      wind_mean_m_s: r.number('wind'),
      gust_m_s: r.number('gust'),
      gust_dir_deg: windDirection(r.number('gust'), r.parsed('direction', 'direction', directionOf)),
      gust_at: at('gust_at'),
      pressure_max_hpa: r.number('pressure_max'),
      pressure_max_at: at('pressure_max_at'),
      pressure_min_hpa: r.number('pressure_min'),
      pressure_min_at: at('pressure_min_at'),
      sunshine_h: r.number('sun'),
      humidity_mean_pct: r.number('humidity'),
      humidity_max_pct: r.number('humidity_max'),
      humidity_max_at: at('humidity_max_at'),
      humidity_min_pct: r.number('humidity_min'),
      humidity_min_at: at('humidity_min_at'),
    }
  },
})

function dayRequest(day: string): FeedRequest {
  const path = `valores/climatologicos/diarios/datos/fechaini/${day}T00:00:00UTC/fechafin/${day}T23:59:59UTC/todasestaciones`
  return aemetRequest('day', path, 8_000_000)
}

/** An instant of the day, from `05:30` or whole hours up to `24`; null if there is none or several, NaN for any other text. */
function momentOf(text: string, start: number): number | null {
  if (text === SEVERAL) return null
  const [, hour, minute = '0'] = TIME.exec(text) ?? []
  const minutes = Number(hour) * 60 + Number(minute)
  return hour === undefined || Number(minute) > 59 || minutes > 1440 ? Number.NaN : start + minutes * 60_000
}

/** Degrees, from tens of degrees; null without a single direction. */
function directionOf(text: string): number | null {
  const tens = NO_DIRECTION.has(text) ? null : commaNumber(text)
  return tens === null ? null : tens * 10
}
