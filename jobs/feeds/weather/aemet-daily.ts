import { aemet } from '../../../lake/datasets/weather/sources.ts'
import { weatherDaily } from '../../../lake/datasets/weather/weather-daily.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { commaNumber } from '../../formats/numbers.ts'
import {
  type ArchiveFile,
  type Batch,
  batch,
  type DayRange,
  defineFeed,
  type FeedBody,
  type FeedClock,
  type FeedRequest,
  FormatError,
  type Notes,
} from '../define.ts'
import { lookUp } from '../look-up.ts'
import { type AemetRecord, aemetRequest, readRecords, textOf, watchKeys } from './aemet.ts'

type Daily = FeedRow<typeof weatherDaily>

const DAY_MS = 86_400_000
/** Long series begin in 1920. */
const FIRST = '1920-01-01'
const PERIOD = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^(\d{1,2})(?::(\d{2}))?$/
/** What stands for a time where there were several. */
const SEVERAL = 'Varias'
/** `prec` where it is no number: too little to be measured, or in the sum of a later day. */
const FLAGS: Readonly<Record<string, { readonly flag: string; readonly mm: number | null }>> = {
  ip: { flag: 'TRACE', mm: 0 },
  acum: { flag: 'ACCUMULATED', mm: null },
}
/** `dir`, in tens of degrees, where it is none: variable, and not known. */
const NO_DIRECTION = new Set(['99', '88'])

/** Keys in small letters: the data have `presMax` where the published metadata have `presmax`. */
const KNOWN = new Set([
  ...['fecha', 'indicativo', 'nombre', 'provincia', 'altitud', 'tmed', 'prec', 'tmin', 'horatmin', 'tmax', 'horatmax', 'dir', 'velmedia'],
  ...[
    'racha',
    'horaracha',
    'sol',
    'presmax',
    'horapresmax',
    'presmin',
    'horapresmin',
    'hrmedia',
    'hrmax',
    'horahrmax',
    'hrmin',
    'horahrmin',
  ],
])

/** AEMET's daily climatology of all stations, asked for by days: of more than 15 at once it gives none. The newest days are not there yet. */
export const aemetDaily = defineFeed({
  id: 'aemet_daily',
  domain: 'weather',
  source: aemet,
  into: [weatherDaily],
  every_s: 86_400,
  plans: [{ requests: [dayRequest('2025-01-01')] }],
  archive: { unit: 'day', index: [], files: daysOf, recent: 10 },
  freshBy: 'fetch',
  bands: { weather_daily: { atLeast: 50, minRatio: 0.8, maxRatio: 1000 } },
  rows: readDays,
})

function dayRequest(day: string): FeedRequest {
  const path = `valores/climatologicos/diarios/datos/fechaini/${day}T00:00:00UTC/fechafin/${day}T23:59:59UTC/todasestaciones`
  return aemetRequest('day', path, 8_000_000)
}

/** Every day of a range has a file, from the first on; those that the publisher has not (yet) are answered as absent. */
function daysOf(_index: readonly FeedBody[], range: DayRange): ArchiveFile[] {
  const begin = Date.parse(range.from < FIRST ? FIRST : range.from)
  const count = Math.max(0, Math.floor((Date.parse(range.to) - begin) / DAY_MS) + 1)
  return Array.from({ length: count }, (_, at) => {
    const period = new Date(begin + at * DAY_MS).toISOString().slice(0, 10)
    return { period, url: dayRequest(period).url }
  })
}

function* readDays(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  const watch = watchKeys('aemet_daily_key', KNOWN, notes)
  for (const body of bodies) {
    // A file is of the day that was asked for.
    const asked = PERIOD.test(body.name) ? body.name : null
    const days: Daily[] = []
    for (const given of readRecords(body)) {
      const record = Object.fromEntries(Object.entries(given).map(([key, value]) => [key.toLowerCase(), value]))
      watch(record)
      const [day, station_id] = [textOf(record, 'fecha'), textOf(record, 'indicativo')]
      const isDay = day !== null && PERIOD.test(day) && !Number.isNaN(Date.parse(day))
      const reason = station_id === null ? 'no indicativo' : !isDay ? 'fecha is no day' : asked !== null && day !== asked ? OTHER : null
      if (reason === null) days.push(dailyOf(record, { day: day as string, station_id: station_id as string }))
      else notes.quarantine(weatherDaily, reason, JSON.stringify(given).slice(0, 300))
    }
    if (days.length > 0 && days.every(({ temp_mean_c }) => temp_mean_c === null)) throw new FormatError('none of the records has a tmed')
    yield batch(weatherDaily, days)
  }
}

const OTHER = 'a day other than the file'

function dailyOf(record: AemetRecord, { day, station_id }: Pick<Daily, 'day' | 'station_id'>): Daily {
  const start = Date.parse(day)
  const number = (key: string): number | null => commaNumber(textOf(record, key) ?? '')
  const at = (key: string): number | null => momentOf(textOf(record, key), start)
  const special = lookUp(FLAGS, textOf(record, 'prec')?.toLowerCase() ?? null)
  return {
    source: aemet.id,
    day,
    station_id,
    day_starts_at: start,
    precipitation_mm: special ? special.mm : number('prec'),
    precipitation_flag: special?.flag ?? null,
    temp_mean_c: number('tmed'),
    temp_min_c: number('tmin'),
    temp_min_at: at('horatmin'),
    temp_max_c: number('tmax'),
    temp_max_at: at('horatmax'),
    wind_mean_m_s: number('velmedia'),
    gust_m_s: number('racha'),
    gust_dir_deg: directionOf(textOf(record, 'dir')),
    gust_at: at('horaracha'),
    pressure_max_hpa: number('presmax'),
    pressure_max_at: at('horapresmax'),
    pressure_min_hpa: number('presmin'),
    pressure_min_at: at('horapresmin'),
    sunshine_h: number('sol'),
    humidity_mean_pct: number('hrmedia'),
    humidity_max_pct: number('hrmax'),
    humidity_max_at: at('horahrmax'),
    humidity_min_pct: number('hrmin'),
    humidity_min_at: at('horahrmin'),
  }
}

/** An instant of the day, of `05:30`, or of whole hours up to `24`; null where there is none or were several, NaN for any other text. */
function momentOf(text: string | null, start: number): number | null {
  if (text === null || text === SEVERAL) return null
  const [, hour, minute = '0'] = TIME.exec(text) ?? []
  const minutes = Number(hour) * 60 + Number(minute)
  return hour === undefined || Number(minute) > 59 || minutes > 1440 ? Number.NaN : start + minutes * 60_000
}

/** Degrees, of tens of degrees; null where there is no one direction. */
function directionOf(text: string | null): number | null {
  const tens = text === null || NO_DIRECTION.has(text) ? null : commaNumber(text)
  return tens === null ? null : tens * 10
}
