import { renfeVisor } from '../../../lake/datasets/rail/sources.ts'
import { railFleet } from '../../../lake/datasets/rail/trains.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { readLongList } from '../../formats/json.ts'
import { decimalNumber, numberIn, wholeNumber } from '../../formats/numbers.ts'
import { statedPosition } from '../../formats/positions.ts'
import { type Batch, batch, bodyOf, type Diagnostics, defineFeed, type FeedBody, type FeedClock, FormatError, lookUp } from '../define.ts'
import type { Get } from '../request.ts'
import { NUCLEOS_MISSING } from './expected-nucleos.ts'
import { MAP_PRODUCTS } from './products.ts'
import { COMMUTER_BAND, delayQuality, LONG_DISTANCE_BAND } from './realtime.ts'

type Train = FeedRow<typeof railFleet>

/** Values of `porAvanc` that are not a share: in 22,573 rows `A` comes with one stop (7,624 of 7,632), `E` and `S` with two. */
const MOVEMENTS: Readonly<Record<string, string>> = { A: 'STANDING', E: 'RUNNING', S: 'RUNNING_S' }
/** Núcleos that the map never has. */
const ABSENT = ['31', '45', '46', '47']
/** The map's number of Rodalies, and the timetable's. */
const RODALIES = ['50', '51'] as const

/** Long-distance trains on Renfe's map: only this feed has vehicle numbers and products. */
export const renfeFlotaLd = defineFeed({
  id: 'renfe_flota_ld',
  source: renfeVisor,
  into: [railFleet],
  every_s: 30,
  get: mapRequest('https://tiempo-real.largorecorrido.renfe.com/renfe-visor/flotaLD.json'),
  bands: { rail_fleet: LONG_DISTANCE_BAND },
  rawRetentionDays: 14,
  liveByDefault: false,
  rows: (bodies, clock, diagnostics) => readMap(longDistanceRow, { bodies, clock }, diagnostics),
})

/** Commuter trains on Renfe's map. Some núcleos are never on it, and others drop out: their trains stay, marked stale. */
export const renfeFlota = defineFeed({
  id: 'renfe_flota',
  source: renfeVisor,
  into: [railFleet],
  every_s: 30,
  get: mapRequest('https://tiempo-real.renfe.com/renfe-visor/flota.json'),
  bands: { rail_fleet: COMMUTER_BAND },
  groups: { rail_fleet: { column: 'nucleo_code', ...NUCLEOS_MISSING, never: ABSENT } },
  rawRetentionDays: 14,
  liveByDefault: false,
  rows: (bodies, clock, diagnostics) => readMap(commuterRow, { bodies, clock }, diagnostics),
})

function mapRequest(url: string): Get {
  return { name: 'map', url, maxBytes: 16_000_000, timeout_ms: 10_000, expects: 'json' }
}

type RowMaker = (train: MapTrain, published: number, diagnostics: Diagnostics) => Train

function* readMap(
  rowOf: RowMaker,
  { bodies, clock }: { bodies: readonly FeedBody[]; clock: FeedClock },
  diagnostics: Diagnostics,
): Generator<Batch> {
  const body = bodyOf(bodies)
  const { envelope, batches } = readLongList(body.bytes, { list: 'trenes' })
  if (!batches) throw new FormatError('there is no list trenes')
  const published = mapTime(envelope['fechaActualizacion'], clock.near ?? clock.fetched_at)
  diagnostics.publishedAt(published)
  for (const given of batches) {
    const rows: Train[] = []
    for (const train of given) {
      try {
        rows.push(rowOf(train as MapTrain, published, diagnostics))
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        diagnostics.reject(railFleet, error.message, JSON.stringify(train))
      }
    }
    yield batch(railFleet, rows)
  }
}

function longDistanceRow(train: MapTrain, published: number, diagnostics: Diagnostics): Train {
  const number = required(train, 'codComercial')
  const vehicles = (textOf(train, 'mat') ?? '').split(',').map((text) => text.trim())
  const delay_s = delayOf(train, 'ultRetraso')
  const product = textOf(train, 'codProduct')
  const fixed = train['time']
  return {
    ...sharedRow(train, published, diagnostics),
    network: 'AVLDMD',
    source_id: number,
    train_number: number,
    trip_id: null,
    line: null,
    nucleo_code: null,
    fixed_at: typeof fixed === 'number' && fixed > 0 ? fixed * 1000 : null,
    delay_s,
    delay_quality: delayQuality(delay_s, diagnostics),
    product: product && (lookUp(MAP_PRODUCTS, product) ?? product),
    corridor: textOf(train, 'desCorridor'),
    previous_stop_id: textOf(train, 'codEstAnt'),
    origin_stop_id: textOf(train, 'codOrigen'),
    destination_stop_id: textOf(train, 'codDestino'),
    vehicle_numbers: vehicles.filter((text) => text !== ''),
    series: [...new Set(vehicles.flatMap((text) => /^\d{3}/.exec(text) ?? []))],
    movement: null,
    progress_pct: null,
    platform: null,
    next_platform: null,
  }
}

function commuterRow(train: MapTrain, published: number, diagnostics: Diagnostics): Train {
  const tripId = required(train, 'tripId')
  const delay_s = delayOf(train, 'retrasoMin')
  const nucleo = textOf(train, 'nucleo')
  const progress = textOf(train, 'porAvanc')
  const percent = progress === null ? Number.NaN : decimalNumber(progress)
  const progress_pct = percent >= 0 ? percent : null
  return {
    ...sharedRow(train, published, diagnostics),
    network: 'CERCANIAS',
    source_id: tripId,
    train_number: required(train, 'codTren'),
    trip_id: tripId,
    line: textOf(train, 'codLinea'),
    nucleo_code: nucleo === RODALIES[0] ? RODALIES[1] : nucleo,
    fixed_at: null,
    delay_s,
    delay_quality: delayQuality(delay_s, diagnostics),
    product: null,
    corridor: null,
    previous_stop_id: textOf(train, 'codEstAct'),
    origin_stop_id: textOf(train, 'codEstOrig'),
    destination_stop_id: textOf(train, 'codEstDest'),
    vehicle_numbers: [],
    series: [],
    movement: progress_pct === null ? progress && (lookUp(MOVEMENTS, progress) ?? progress) : 'RUNNING',
    progress_pct,
    platform: platformOf(train, 'via'),
    next_platform: platformOf(train, 'nextVia'),
  }
}

function sharedRow(train: MapTrain, published: number, diagnostics: Diagnostics) {
  return {
    source: renfeVisor.id,
    observed_at: published,
    position: statedPosition(positionOf(train), 'a train', diagnostics.warn),
    next_stop_id: textOf(train, 'codEstSig'),
    expected_arrival_at: localInstant(textOf(train, 'horaLlegadaSigEst'), published),
    is_accessible: flagOf(train, 'accesible'),
  }
}

function required(train: MapTrain, name: string): string {
  const text = textOf(train, name)
  if (text === null) throw new FormatError(`no ${name}`)
  return text
}

/** A dash is no platform. */
function platformOf(train: MapTrain, name: string): string | null {
  const text = textOf(train, name)
  return text === '-' ? null : text
}

/** A train of the map as parsed: members of any type. */
type MapTrain = Readonly<Record<string, unknown>>

const LOCAL = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2})?)$/
const HOUR = 3_600_000

/** A text or number as text; null if missing or empty. Throws `FormatError` for another type. */
function textOf(train: MapTrain, name: string): string | null {
  const value = train[name] ?? null
  if (value !== null && typeof value !== 'string' && typeof value !== 'number') throw new FormatError(`${name} is no text`)
  return value === null ? null : String(value).trim() || null
}

/** A position from latitude and longitude, NaN if unreadable; null if either is missing. */
function positionOf(train: MapTrain): { readonly lat: number; readonly lon: number } | null {
  const [lat, lon] = [train['latitud'] ?? null, train['longitud'] ?? null]
  return lat === null || lon === null ? null : { lat: numberIn(lat) ?? Number.NaN, lon: numberIn(lon) ?? Number.NaN }
}

/** A delay in minutes, as text, in seconds; null if it is none (third parties have seen `no`). */
function delayOf(train: MapTrain, name: string): number | null {
  const text = textOf(train, name)
  const minutes = text === null ? null : wholeNumber(text)
  return minutes === null || Number.isNaN(minutes) ? null : minutes * 60
}

/** True or false; null for any other value. */
function flagOf(train: MapTrain, name: string): boolean | null {
  const value = train[name]
  return typeof value === 'boolean' ? value : null
}

/**
 * The instant (ms) of local time with or without seconds; null if missing. `near` is the publication time: expected times may
 * be an hour after it, which decides the repeated hour of October.
 */
function localInstant(text: string | null, near: number): number | null {
  const [, date, time] = LOCAL.exec(text ?? '') ?? []
  if (date === undefined || time === undefined) return null
  const instant = instantOf(date, time, { near: near + HOUR })
  return Number.isNaN(instant) ? null : instant
}

/**
 * The map's publication time (ms), from local time; in the repeated hour the fetch time decides. Throws `FormatError` for any
 * other text.
 */
function mapTime(text: unknown, near: number): number {
  const [, date, time] = (typeof text === 'string' ? LOCAL.exec(text) : null) ?? []
  const instant = date === undefined || time === undefined ? Number.NaN : instantOf(date, time, { near })
  if (Number.isNaN(instant)) throw new FormatError(`fechaActualizacion is ${JSON.stringify(text)}, expected YYYY-MM-DDTHH:MM:SS`)
  return instant
}
