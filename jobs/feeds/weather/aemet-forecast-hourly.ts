import { weatherForecastHourly } from '../../../lake/datasets/weather/forecasts.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { offsetAt } from '../../../lake/schema/time.ts'
import {
  aboutRow,
  type Entry,
  entriesOf,
  type ForecastDocument,
  type ForecastReader,
  forecastFeed,
  type Period,
  periodOf,
} from './forecast-reader.ts'

type Row = FeedRow<typeof weatherForecastHourly>

const HOUR_MS = 3_600_000
const HOUR = /^([01]\d|2[0-3])$/
const HOURS = /^(\d{2})(\d{2})$/
const PROBABILITIES = ['probPrecipitacion', 'probTormenta', 'probNieve'] as const
const LISTS = ['estadoCielo', 'precipitacion', 'nieve', 'temperatura', 'sensTermica', 'humedadRelativa'] as const
const KNOWN = new Set([...LISTS, ...PROBABILITIES, 'vientoAndRachaMax', 'fecha', 'orto', 'ocaso'])

/** AEMET's hourly forecast. */
export const aemetForecastHourly = forecastFeed({
  id: 'aemet_forecast_hourly',
  into: weatherForecastHourly,
  word: 'horaria',
  what: 'hours',
  always: {
    estadoCielo: ({ sky_code }) => sky_code !== null,
    precipitacion: ({ precipitation_mm }) => precipitation_mm !== null,
    temperatura: ({ temp_c }) => temp_c !== null,
    vientoAndRachaMax: ({ wind_mean_m_s }) => wind_mean_m_s !== null,
  },
  rowsOf: hoursOf,
})

function hoursOf(document: ForecastDocument, reader: ForecastReader): Row[] {
  const probabilities = PROBABILITIES.map((key) => probabilitiesOf(document, key, reader))
  const rows: Row[] = []
  for (const { date, record } of document.days) {
    reader.watch(record, KNOWN)
    const lists = Object.fromEntries(LISTS.map((key) => [key, byHour(entriesOf(record, key))])) as Record<
      (typeof LISTS)[number],
      ReadonlyMap<string, Entry>
    >
    const wind = entriesOf(record, 'vientoAndRachaMax')
    // Wind and gust of an hour are separate consecutive entries, distinguished by their members.
    const winds = byHour(wind.filter((entry) => 'velocidad' in entry))
    const gusts = byHour(wind.filter((entry) => 'value' in entry))
    for (const hour of new Set([...LISTS.flatMap((key) => [...lists[key].keys()]), ...winds.keys()])) {
      const valid = HOUR.test(hour) ? hourOf(document, date, hour) : null
      if (valid === null) {
        reader.reject('periodo is no hour of the day', { fecha: date, periodo: hour })
        continue
      }
      const value = (key: (typeof LISTS)[number]): unknown => lists[key].get(hour)?.['value']
      const rain = reader.amount(value('precipitacion'), 'precipitacion')
      const snow = reader.amount(value('nieve'), 'nieve')
      const [precipitation, thunderstorm, snowfall] = probabilities.map((list) =>
        list.find(({ from, to }) => valid.from >= from && valid.from < to),
      )
      rows.push({
        ...aboutRow(document, valid),
        ...reader.sky(lists.estadoCielo.get(hour)),
        precipitation_mm: rain.mm,
        precipitation_flag: rain.flag,
        snow_mm: snow.mm,
        snow_flag: snow.flag,
        temp_c: reader.number(value('temperatura'), 'temperatura'),
        apparent_temp_c: reader.number(value('sensTermica'), 'sensTermica'),
        humidity_pct: reader.number(value('humedadRelativa'), 'humedadRelativa'),
        wind_mean_m_s: reader.speed(only(winds.get(hour)?.['velocidad']), 'velocidad'),
        wind_dir_deg: reader.direction(only(winds.get(hour)?.['direccion'])),
        gust_m_s: reader.speed(gusts.get(hour)?.['value'], 'racha'),
        precipitation_probability_pct: precipitation?.percent ?? null,
        thunderstorm_probability_pct: thunderstorm?.percent ?? null,
        snow_probability_pct: snowfall?.percent ?? null,
      })
    }
  }
  return rows
}

/** A document's probabilities with their periods of six hours (`0713`); a day's last period reaches into the next day. */
function probabilitiesOf(
  document: ForecastDocument,
  key: string,
  reader: ForecastReader,
): (Period & { readonly percent: number | null })[] {
  return document.days.flatMap(({ date, record }) =>
    entriesOf(record, key).flatMap(({ periodo, value }) => {
      const [, from, to] = HOURS.exec(String(periodo)) ?? []
      if (from === undefined || to === undefined) return []
      return [{ ...periodOf(document, date, from, to), percent: reader.number(value, key) }]
    }),
  )
}

/** An hour of a day; null for one that the clock leaves out. */
function hourOf(document: ForecastDocument, date: string, hour: string): Period | null {
  const { from } = periodOf(document, date, hour, '24')
  const shown = Math.floor((from + offsetAt(from, document.zone)) / HOUR_MS) % 24
  return shown === Number(hour) ? { from, to: from + HOUR_MS } : null
}

/** Entries by hour; of a repeated hour (clock set back) the first one. */
function byHour(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const hours = new Map<string, Entry>()
  for (const entry of entries) if (!hours.has(String(entry['periodo']))) hours.set(String(entry['periodo']), entry)
  return hours
}

/** The one element of a list. */
function only(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value
}
