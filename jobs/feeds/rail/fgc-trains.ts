import { TRAIN_COACHES } from '../../../lake/datasets/rail/codes.ts'
import { fgc } from '../../../lake/datasets/rail/sources.ts'
import { railPositions } from '../../../lake/datasets/rail/trains.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { numberIn } from '../../formats/numbers.ts'
import { nextPage, readPage } from '../../formats/opendatasoft.ts'
import { statedPosition } from '../../formats/positions.ts'
import { batch, type Diagnostics, defineFeed, FormatError, lookUp } from '../define.ts'
import { LONG_DISTANCE_BAND } from './realtime.ts'

const HOST = 'https://dadesobertes.fgc.cat/api/explore/v2.1/catalog/datasets/posicionament-dels-trens'
const NETWORK = 'FGC'
/** The API's limit of records per request. */
const PAGE = 100
const KNOWN = new Set([
  ...['id', 'lin', 'nc', 'dir', 'origen', 'desti', 'properes_parades', 'estacionat_a', 'en_hora', 'material', 'tipus_unitat', 'ut'],
  ...['ocupacio', 'geo_point_2d', 'geo_shape'],
])
/** The same data of a coach, flat. */
const COACH_COLUMN = /^ocupacio_(m1|mi|ri|m2)_(percent|tram|persones)$/

/**
 * Positions of FGC's trains. Records state no time, so the fetch time counts; the operator's own map was about two minutes
 * ahead. Without trains at night the publication is empty and unchanged.
 */
export const fgcTrains = defineFeed({
  id: 'fgc_trains',
  source: fgc,
  into: [railPositions],
  every_s: 30,
  plans: [
    {
      requests: [
        {
          name: 'trains',
          // A fixed order, so that pages do not overlap.
          url: `${HOST}/records?order_by=id&limit=${PAGE}`,
          maxBytes: 2_000_000,
          timeout_ms: 10_000,
          expects: 'json',
        },
      ],
      next: nextPage,
    },
  ],
  bands: { rail_positions: LONG_DISTANCE_BAND },
  rawRetentionDays: 14,
  *rows(bodies, { fetched_at }, diagnostics) {
    const rows = new Map<string, FeedRow<typeof railPositions>>()
    let isEmpty = true
    let hasPosition = false
    for (const body of bodies)
      for (const record of readPage(body).records) {
        isEmpty = false
        for (const name of Object.keys(record))
          if (!KNOWN.has(name) && !COACH_COLUMN.test(name)) diagnostics.unknownCode('fgc_train_column', name)
        try {
          const row = rowOf(record, fetched_at, diagnostics)
          hasPosition ||= row.position !== null
          if (rows.has(row.source_id)) diagnostics.warn('a circulation that is in the publication twice')
          rows.set(row.source_id, row)
        } catch (error) {
          if (!(error instanceof FormatError)) throw error
          diagnostics.reject(railPositions, error.message, JSON.stringify(record).slice(0, 300))
        }
      }
    if (!isEmpty && !hasPosition) throw new FormatError('none of the trains has a position (geo_point_2d)')
    yield batch(railPositions, [...rows.values()])
  },
})

function rowOf(record: TrainRecord, observed_at: number, diagnostics: Diagnostics): FeedRow<typeof railPositions> {
  const circulation = circulationOf(record)
  const parked = textOf(record, 'estacionat_a')
  const next = nextStopsOf(record, diagnostics)
  const stop = parked ?? next?.[0] ?? null
  const position = statedPosition(positionOf(record), 'a train', diagnostics.warn)
  return {
    source: fgc.id,
    network: NETWORK,
    source_id: circulation,
    observed_at,
    vehicle_id: textOf(record, 'ut'),
    trip_id: null,
    train_number: circulation,
    line: textOf(record, 'lin'),
    nucleo_code: null,
    position,
    position_source: null,
    vehicle_status: parked !== null ? 'STOPPED_AT' : next && next.length > 0 ? 'IN_TRANSIT_TO' : null,
    stop_id: stationId(stop),
    platform: null,
    label: null,
    direction: textOf(record, 'dir'),
    origin_stop_id: stationId(textOf(record, 'origen')),
    destination_stop_id: stationId(textOf(record, 'desti')),
    next_stop_ids: next && next.map((code) => stationId(code)),
    is_on_time: onTimeOf(record, diagnostics),
    unit_type: textOf(record, 'tipus_unitat'),
    ...coachesOf(record, diagnostics),
    source_stop_id: stop,
  }
}

/** The id of a station, as timetables have it: codes of two letters are not unique among networks. */
function stationId<T extends string | null>(code: T): T | string {
  return code === null ? code : `${NETWORK}:${code}`
}

/** The circulation: `nc`, or the part of the id after the mark. The part before it is the same for all trains. */
function circulationOf(record: TrainRecord): string {
  const circulation = textOf(record, 'nc') ?? /\|(.+)$/.exec(textOf(record, 'id') ?? '')?.[1]
  if (circulation === undefined) throw new FormatError('id has no circulation after a |')
  return circulation
}

function positionOf({ geo_point_2d: point }: TrainRecord): Point | null {
  if (!isStated(point)) return null
  const { lat, lon } = point as { lat?: unknown; lon?: unknown }
  return { lat: numberIn(lat) ?? Number.NaN, lon: numberIn(lon) ?? Number.NaN }
}

/** A train as FGC publishes it. Values of the records API may be text. */
type TrainRecord = Readonly<Record<string, unknown>>

const COACHES = Object.keys(TRAIN_COACHES.codes)
const ON_TIME: Readonly<Record<string, boolean>> = { true: true, false: false }

/** True unless a value is absent, null or blank. */
function isStated(value: unknown): boolean {
  return value !== undefined && value !== null && String(value).trim() !== ''
}

/** A text or number as text; null without one. */
function textOf(record: TrainRecord, name: string): string | null {
  const value = record[name]
  return isStated(value) && typeof value !== 'object' ? String(value).trim() : null
}

/** `en_hora`, a boolean or its text. An unknown value is counted and null. */
function onTimeOf(record: TrainRecord, diagnostics: Diagnostics): boolean | null {
  const text = textOf(record, 'en_hora')
  const found = lookUp(ON_TIME, text?.toLowerCase() ?? null)
  if (text !== null && found === undefined) diagnostics.warn('en_hora is no boolean')
  return found ?? null
}

/** Codes of the next stops: a list of objects, its JSON text, or JSON objects separated by semicolons. */
function nextStopsOf({ properes_parades: given }: TrainRecord, diagnostics: Diagnostics): string[] | null {
  if (!isStated(given)) return null
  const stops = typeof given === 'string' ? jsonOf(given) : given
  const codes = [stops].flat().map((stop) => (stop as { parada?: unknown } | null | undefined)?.parada)
  if (codes.every((code) => typeof code === 'string')) return codes
  diagnostics.warn('properes_parades is no list of stops')
  return null
}

type Coaches = Pick<FeedRow<typeof railPositions>, 'occupied_coaches' | 'occupancies_pct'>

/** Occupancy by coach: the object `ocupacio` (or its JSON text), or flat columns. Null if the train states none. */
function coachesOf(record: TrainRecord, diagnostics: Diagnostics): Coaches {
  const { ocupacio: given } = record
  const nested = (typeof given === 'string' ? jsonOf(given) : given) as Readonly<Record<string, { percent?: unknown } | null>> | null
  const occupied_coaches: string[] = []
  const occupancies_pct: number[] = []
  for (const coach of COACHES) {
    const name = coach.toLowerCase()
    const stated = nested?.[name]?.percent ?? record[`ocupacio_${name}_percent`]
    if (!isStated(stated)) continue
    const percent = numberIn(stated)
    if (percent === null || !(percent >= 0)) diagnostics.warn(`percent of ${name} is no share`)
    else {
      occupied_coaches.push(coach)
      occupancies_pct.push(Math.round(percent))
    }
  }
  return occupied_coaches.length === 0 ? { occupied_coaches: null, occupancies_pct: null } : { occupied_coaches, occupancies_pct }
}

/** The value of a JSON text, or of JSON objects separated by semicolons; null if it is neither. */
function jsonOf(text: string): unknown {
  for (const json of [
    text,
    `[${text
      .trim()
      .replace(/;$/, '')
      .replaceAll(/\}\s*;\s*\{/g, '},{')}]`,
  ]) {
    try {
      return JSON.parse(json)
    } catch {
      // Not this form.
    }
  }
  return null
}
