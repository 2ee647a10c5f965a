import { aemet } from '../../../lake/datasets/weather/sources.ts'
import { CAPITALS } from '../../../lake/places/capitals.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import type { Dataset, FeedRow } from '../../../lake/schema/dataset.ts'
import { dateAfter, instantOf, MADRID } from '../../../lake/schema/time.ts'
import { numberIn } from '../../formats/numbers.ts'
import {
  batch,
  type Diagnostics,
  defineFeed,
  type Feed,
  type FeedBody,
  type FeedClock,
  type FeedRequest,
  FormatError,
  lookUp,
} from '../define.ts'
import { watchPresence } from '../presence.ts'
import { AEMET_LIMIT, type AemetRecord, aemetRequest, isNoData, readRecords, textOf } from './aemet.ts'

const CLOUDS = ['CLEAR', 'FEW_CLOUDS', 'PARTLY_CLOUDY', 'CLOUDY', 'VERY_CLOUDY', 'OVERCAST', 'HIGH_CLOUDS'] as const
/** Precipitation by the first digit of a code. */
const FALLS: Readonly<Record<string, string>> = {
  1: 'NONE',
  2: 'RAIN',
  3: 'SNOW',
  4: 'LIGHT_RAIN',
  5: 'THUNDERSTORM',
  6: 'THUNDERSTORM_LIGHT_RAIN',
  7: 'LIGHT_SNOW',
}
const SIGHT: Readonly<Record<string, string>> = { 81: 'FOG', 82: 'MIST', 83: 'HAZE' }
/** Codes from 51 on start at partly cloudy, those below at clear. */
const SHIFTED_FROM = 50
const SKY_CODE = /^([1-8][1-7])n?$/

/** The direction the wind comes from, degrees, by AEMET's words; null for calm (C). */
const DIRECTIONS: Readonly<Record<string, number | null>> = {
  N: 0,
  NE: 45,
  E: 90,
  SE: 135,
  S: 180,
  SO: 225,
  O: 270,
  NO: 315,
  C: null,
}

/** Clouds and phenomenon of a sky code; undefined if AEMET's list lacks the code. */
function skyOf(code: string): { readonly cloud_cover: string | null; readonly phenomenon: string } | undefined {
  const [, digits] = SKY_CODE.exec(code) ?? []
  if (digits === undefined) return undefined
  const takesSight = lookUp(SIGHT, digits)
  if (takesSight !== undefined) return { cloud_cover: null, phenomenon: takesSight }
  const phenomenon = lookUp(FALLS, digits[0] as string)
  const cloud_cover = CLOUDS[Number(digits[1]) - 1 + (Number(digits) > SHIFTED_FROM ? 2 : 0)]
  return phenomenon === undefined || cloud_cover === undefined ? undefined : { cloud_cover, phenomenon }
}

const ISSUED = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})$/
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T00:00:00)?$/
const CODE = /^\d{1,5}$/
const TRACE = 'ip'
/** Most time by which an issue may be ahead of the fetch; beyond it another clock is assumed. */
const AHEAD_MS = 5 * 60_000
const KMH_PER_M_S = 3.6

/** The forecast of a municipality, as one document has it. */
export interface ForecastDocument {
  readonly municipality_code: string
  readonly issued_at: number
  /** The zone of the hours in it: the clock of the municipality. */
  readonly zone: string
  readonly days: readonly { readonly date: string; readonly record: AemetRecord }[]
}

/** Start and end of a period of a day, ms, from local hours; an end not after its start is on the next day. */
export interface Period {
  readonly from: number
  readonly to: number
}

/** Reads the one forecast of a document. Throws `FormatError` if there is none. */
function readForecast(body: FeedBody, { fetched_at, near = fetched_at }: FeedClock): ForecastDocument {
  const records = readRecords(body)
  const [document] = records
  if (!document || records.length > 1) throw new FormatError(`${body.name} has ${records.length} forecasts, expected one`)
  const id = String(document['id'] ?? '').trim()
  const municipality_code = CODE.test(id) ? id.padStart(5, '0') : ''
  if (!municipalityByCode(municipality_code)) throw new FormatError(`${body.name}: id ${JSON.stringify(id)} is no municipality`)
  const zone = zoneOf(municipality_code.slice(0, 2))
  const issued_at = issuedAt(textOf(document, 'elaborado'), zone, near)
  if (issued_at === null) throw new FormatError(`${body.name}: elaborado is no local time: ${JSON.stringify(document['elaborado'])}`)
  const { dia } = (document['prediccion'] ?? {}) as { dia?: unknown }
  if (!Array.isArray(dia) || dia.length === 0) throw new FormatError(`${body.name} has no prediccion.dia`)
  const days = dia.map((record: AemetRecord) => {
    const [, date] = DATE.exec(String(record?.['fecha'])) ?? []
    if (date === undefined) throw new FormatError(`${body.name}: fecha is no date: ${JSON.stringify(record?.['fecha'])}`)
    return { date, record }
  })
  return { municipality_code, issued_at, zone, days }
}

/** `elaborado` has no offset: it is local time of the municipality or, if that would be after the fetch, of Madrid. */
function issuedAt(text: string | null, zone: string, near: number): number | null {
  const [, date, time] = ISSUED.exec(text ?? '') ?? []
  if (date === undefined || time === undefined) return null
  const local = instantOf(date, time, { zone, near })
  if (Number.isNaN(local)) return null
  return local > near + AHEAD_MS ? instantOf(date, time, { zone: MADRID, near }) : local
}

/** The period between two hours of a day, as written (`07`, `24`). */
export function periodOf({ zone }: ForecastDocument, date: string, from: string, to: string): Period {
  const at = (hour: number): number =>
    hour < 24 ? instantOf(date, `${hour}:00`, { zone }) : instantOf(dateAfter(date), `${hour - 24}:00`, { zone })
  const [begin, end] = [Number(from), Number(to)]
  return { from: at(begin), to: at(end > begin ? end : end + 24) }
}

/** The columns of a forecast's place, period and time of issue. */
export function aboutRow({ municipality_code, issued_at }: ForecastDocument, { from, to }: Period) {
  const place = { source: aemet.id, municipality_code, province_code: municipality_code.slice(0, 2) }
  return { ...place, valid_from: from, valid_to: to, issued_at }
}

/** An entry of a day's list: its period and members. */
export type Entry = Readonly<Record<string, unknown>>

/** The entries of a day's list; empty without such a list. */
export function entriesOf(record: AemetRecord, key: string): readonly Entry[] {
  const value = record[key]
  return Array.isArray(value) ? value.filter((one): one is Entry => typeof one === 'object' && one !== null) : []
}

/** Reads forecast values; unreadable ones are null and counted. */
export class ForecastReader {
  readonly #notes: Diagnostics
  readonly #dataset: Dataset

  constructor(dataset: Dataset, diagnostics: Diagnostics) {
    this.#dataset = dataset
    this.#notes = diagnostics
  }

  /** Rejects a document, or a part of one. */
  reject(reason: string, sample: unknown): void {
    this.#notes.reject(this.#dataset, reason, JSON.stringify(sample).slice(0, 300))
  }

  /** Counts unknown members of a day. */
  watch(record: AemetRecord, known: ReadonlySet<string>): void {
    for (const key in record) if (!known.has(key)) this.#notes.unknownCode('aemet_forecast_key', key)
  }

  /** A number, published as one or as a text; null for an empty one. */
  number(value: unknown, what: string): number | null {
    const number = numberIn(value)
    if (!Number.isNaN(number)) return number === null ? null : number + 0 || 0
    this.#notes.warn(`${what} is no number`)
    return null
  }

  /** An amount in mm, or a trace of it (`Ip`). */
  amount(value: unknown, what: string): { readonly mm: number | null; readonly flag: string | null } {
    if (typeof value === 'string' && value.trim().toLowerCase() === TRACE) return { mm: 0, flag: 'TRACE' }
    return { mm: this.number(value, what), flag: null }
  }

  /** A speed in m/s, of km/h. */
  speed(value: unknown, what: string): number | null {
    const kmh = this.number(value, what)
    return kmh === null ? null : Math.round((10 * kmh) / KMH_PER_M_S) / 10
  }

  /** Degrees of a direction; null if calm or missing. */
  direction(value: unknown): number | null {
    const word = typeof value === 'string' ? value.trim() : ''
    if (word === '') return null
    const degrees = lookUp(DIRECTIONS, word)
    if (degrees === undefined) this.#notes.unknownCode('aemet_wind_direction', word)
    return degrees ?? null
  }

  /** The sky state of an entry; nulls if missing. */
  sky(entry: Entry | undefined): {
    sky_code: string | null
    sky_description: string | null
    cloud_cover: string | null
    phenomenon: string | null
  } {
    const sky_code = entry ? textOf(entry, 'value') : null
    const known = sky_code === null ? undefined : skyOf(sky_code)
    if (sky_code !== null && known === undefined) this.#notes.unknownCode('aemet_sky', sky_code)
    return {
      sky_code,
      sky_description: entry ? textOf(entry, 'descripcion') : null,
      cloud_cover: known?.cloud_cover ?? null,
      phenomenon: known?.phenomenon ?? null,
    }
  }
}

/** One of AEMET's forecasts of municipalities. */
interface Forecast<D extends Dataset> {
  readonly id: string
  readonly into: D
  /** AEMET's word for it in addresses. */
  readonly word: 'diaria' | 'horaria'
  /** What its rows are, and the lists that at least one of them has. */
  readonly what: string
  readonly always: Readonly<Record<string, (row: FeedRow<D>) => boolean>>
  readonly rowsOf: (document: ForecastDocument, reader: ForecastReader) => FeedRow<D>[]
}

/** Declares the feed of a forecast: one document per municipality, fetched on demand. */
export function forecastFeed<D extends Dataset>({ id, into, word, what, always, rowsOf }: Forecast<D>): Feed {
  const request = (code: string): FeedRequest => aemetRequest(code, `prediccion/especifica/municipio/${word}/${code}`, 1_000_000)
  return defineFeed({
    id,
    source: aemet,
    into: [into],
    every_s: 60,
    get: request('28079'),
    onDemand: { request, keptFor_s: 3600, always: [...CAPITALS], limit: AEMET_LIMIT, isAbsent: isNoData },
    freshBy: 'fetch',
    bands: { [into.id]: { atLeast: 0, minRatio: 0, maxRatio: 10_000 } },
    *rows(bodies, clock, diagnostics) {
      const reader = new ForecastReader(into, diagnostics)
      const presence = watchPresence(what, always)
      for (const body of bodies) {
        try {
          const rows = rowsOf(readForecast(body, clock), reader)
          for (const row of rows) presence.see(row)
          yield batch(into, rows)
        } catch (error) {
          // One invalid document must not reject the others of its fetch.
          if (!(error instanceof FormatError) || bodies.length === 1) throw error
          reader.reject(error.message, body.name)
        }
      }
      presence.end()
    },
  })
}
