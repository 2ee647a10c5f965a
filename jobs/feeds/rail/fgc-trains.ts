import { railPositions } from '../../../lake/datasets/rail/positions.ts'
import { fgc } from '../../../lake/datasets/rail/sources.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { numberIn } from '../../formats/numbers.ts'
import { nextPage, readPage } from '../../formats/opendatasoft.ts'
import { statedPosition } from '../../formats/positions.ts'
import { batch, type Diagnostics, defineFeed, FormatError } from '../define.ts'
import { coachesOf, isStated, nextStopsOf, onTimeOf, type TrainRecord, textOf } from './fgc-fields.ts'
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
