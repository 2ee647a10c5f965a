import { weatherForecastDaily } from '../../../lake/datasets/weather/forecasts.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { AemetRecord } from './aemet.ts'
import { aboutRow, type Entry, entriesOf, type ForecastDocument, type ForecastReader, forecastFeed, periodOf } from './forecast-reader.ts'

type Row = FeedRow<typeof weatherForecastDaily>

const HOURS = /^(\d{2})-(\d{2})$/
const WHOLE = '00-24'
/** From the fifth day on, each list has one entry, without a period. */
const periodNameOf = ({ periodo }: Entry): string => (periodo === undefined ? WHOLE : String(periodo))
const LISTS = ['estadoCielo', 'probPrecipitacion', 'cotaNieveProv', 'viento', 'rachaMax'] as const
const RANGES = ['temperatura', 'sensTermica', 'humedadRelativa'] as const
const KNOWN = new Set([...LISTS, ...RANGES, 'uvMax', 'fecha'])

/** AEMET's seven-day forecast. */
export const aemetForecastDaily = forecastFeed({
  id: 'aemet_forecast_daily',
  into: weatherForecastDaily,
  word: 'diaria',
  what: 'days',
  always: {
    estadoCielo: ({ sky_code }) => sky_code !== null,
    temperatura: ({ temp_max_c }) => temp_max_c !== null,
    viento: ({ wind_mean_m_s }) => wind_mean_m_s !== null,
  },
  rowsOf: periodsOf,
})

function periodsOf(document: ForecastDocument, reader: ForecastReader): Row[] {
  return document.days.flatMap(({ date, record }) => {
    reader.watch(record, KNOWN)
    const lists = Object.fromEntries(LISTS.map((key) => [key, new Map(entriesOf(record, key).map((one) => [periodNameOf(one), one]))]))
    const names = new Set(LISTS.flatMap((key) => [...(lists[key]?.keys() ?? [])]))
    return [...names].flatMap((name) => {
      const [, from, to] = HOURS.exec(name) ?? []
      if (from === undefined || to === undefined) {
        reader.reject('periodo is no part of a day', { fecha: date, periodo: name })
        return []
      }
      const entry = (key: (typeof LISTS)[number]): Entry | undefined => lists[key]?.get(name)
      const sky = reader.sky(entry('estadoCielo'))
      // A past period has no sky, and meaningless zeros; some keep their wind.
      const isOver = sky.sky_code === null
      const wind = windOf(entry('viento'), reader)
      if (isOver && name !== WHOLE && wind.wind_mean_m_s === null) return []
      return [
        {
          ...aboutRow(document, periodOf(document, date, from, to)),
          ...sky,
          period_h: Number(to) - Number(from),
          precipitation_probability_pct: isOver ? null : reader.number(entry('probPrecipitacion')?.['value'], 'probPrecipitacion'),
          snow_line_m: reader.number(entry('cotaNieveProv')?.['value'], 'cotaNieveProv'),
          ...wind,
          gust_m_s: reader.speed(entry('rachaMax')?.['value'], 'rachaMax'),
          ...rangesOf(record, { isWhole: name === WHOLE, hour: Number(to), hours: Number(to) - Number(from) }, reader),
        },
      ]
    })
  })
}

/** Wind with a direction or calm (C); without either its zero is meaningless. */
function windOf(entry: Entry | undefined, reader: ForecastReader): Pick<Row, 'wind_mean_m_s' | 'wind_dir_deg'> {
  if (!entry || String(entry['direccion'] ?? '').trim() === '') return { wind_mean_m_s: null, wind_dir_deg: null }
  return { wind_mean_m_s: reader.speed(entry['velocidad'], 'velocidad'), wind_dir_deg: reader.direction(entry['direccion']) }
}

/** Highest and lowest of a day, and values at the end of each quarter. */
function rangesOf(
  record: AemetRecord,
  period: { readonly isWhole: boolean; readonly hour: number; readonly hours: number },
  reader: ForecastReader,
) {
  const range = (key: string): Entry => (record[key] ?? {}) as Entry
  const edge = (key: string, member: 'maxima' | 'minima'): number | null =>
    period.isWhole ? reader.number(range(key)[member], `${key}.${member}`) : null
  const end = (key: string): number | null => {
    const given = period.hours === 6 ? entriesOf(range(key), 'dato').find(({ hora }) => Number(hora) === period.hour) : undefined
    return reader.number(given?.['value'], `${key}.dato`)
  }
  return {
    temp_max_c: edge('temperatura', 'maxima'),
    temp_min_c: edge('temperatura', 'minima'),
    apparent_temp_max_c: edge('sensTermica', 'maxima'),
    apparent_temp_min_c: edge('sensTermica', 'minima'),
    humidity_max_pct: edge('humedadRelativa', 'maxima'),
    humidity_min_pct: edge('humedadRelativa', 'minima'),
    uv_index_max: period.isWhole ? reader.number(record['uvMax'], 'uvMax') : null,
    temp_end_c: end('temperatura'),
    apparent_temp_end_c: end('sensTermica'),
    humidity_end_pct: end('humedadRelativa'),
  }
}
