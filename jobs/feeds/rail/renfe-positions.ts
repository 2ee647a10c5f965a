import { renfe } from '../../../lake/datasets/rail/sources.ts'
import { railPositions } from '../../../lake/datasets/rail/trains.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { RealtimeVehicle } from '../../formats/gtfs-realtime.ts'
import { statedPosition } from '../../formats/positions.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type FeedBody } from '../define.ts'
import { NUCLEOS_MISSING } from './expected-nucleos.ts'
import { tripParts } from './ids.ts'
import { COMMUTER_BAND, LONG_DISTANCE_BAND, messageOf, type Network, realtimeRequests } from './realtime.ts'

/** Columns that Renfe's positions do not state. */
const NOT_STATED = {
  ...{ direction: null, origin_stop_id: null, destination_stop_id: null, next_stop_ids: null, is_on_time: null },
  ...{ unit_type: null, occupied_coaches: null, occupancies_pct: null, source_stop_id: null },
} as const
/** The placeholder for "no station". */
const NO_STOP = '00000'
const PLATFORM = /-PLATF\.\(([^)]+)\)$/

/**
 * Positions of commuter trains. Renfe's servers sometimes drop a whole núcleo from a publication: its trains keep their last
 * position.
 */
export const renfePositions = defineFeed({
  id: 'renfe_positions',
  source: renfe,
  into: [railPositions],
  every_s: 20,
  get: realtimeRequests('vehicle_positions'),
  bands: { rail_positions: COMMUTER_BAND },
  groups: { rail_positions: { column: 'nucleo_code', ...NUCLEOS_MISSING } },
  rawRetentionDays: 14,
  rows: (bodies, _clock, diagnostics) => readPositions('CERCANIAS', bodies, diagnostics),
})

/** Positions of long-distance trains. They have no time of their own. */
export const renfePositionsLd = defineFeed({
  id: 'renfe_positions_ld',
  source: renfe,
  into: [railPositions],
  every_s: 20,
  get: realtimeRequests('vehicle_positions_LD'),
  bands: { rail_positions: LONG_DISTANCE_BAND },
  rawRetentionDays: 14,
  rows: (bodies, _clock, diagnostics) => readPositions('AVLDMD', bodies, diagnostics),
})

function* readPositions(network: Network, bodies: readonly FeedBody[], diagnostics: Diagnostics): Generator<Batch> {
  const { publishedAt, entities } = messageOf(bodies, diagnostics, railPositions)
  const rows: FeedRow<typeof railPositions>[] = []
  for (const { id, vehicle } of entities) {
    if (vehicle) rows.push(positionRow({ network, id, publishedAt }, vehicle, diagnostics))
    else diagnostics.reject(railPositions, 'an entity that is no vehicle', id)
  }
  yield batch(railPositions, rows)
}

function positionRow(
  about: { readonly network: Network; readonly id: string; readonly publishedAt: number },
  vehicle: RealtimeVehicle,
  diagnostics: Diagnostics,
): FeedRow<typeof railPositions> {
  const { tripId } = vehicle.trip
  const { train_number, line, nucleo_code } = tripParts(tripId)
  const position = statedPosition(vehicle.position, 'a train', diagnostics.warn)
  if (train_number === null) diagnostics.warn(tripId === null ? 'a train without a trip' : 'a trip id of unknown form')
  return {
    source: renfe.id,
    network: about.network,
    source_id: about.id,
    observed_at: observedAt(vehicle, about.publishedAt, diagnostics),
    vehicle_id: vehicle.vehicleId,
    trip_id: tripId,
    train_number: train_number ?? vehicle.vehicleId,
    line,
    nucleo_code,
    position,
    position_source: position && sourceOf(vehicle.status),
    vehicle_status: vehicle.status,
    stop_id: vehicle.stopId === NO_STOP ? null : vehicle.stopId,
    platform: PLATFORM.exec(vehicle.label ?? '')?.[1] ?? null,
    label: vehicle.label,
    ...NOT_STATED,
  }
}

/** A position later than its publication would hide all later reports until then. */
function observedAt({ observedAt: stated }: RealtimeVehicle, publishedAt: number, diagnostics: Diagnostics): number {
  if (stated === null || stated <= publishedAt) return stated ?? publishedAt
  diagnostics.warn('a position is later than its publication')
  return publishedAt
}

/** In transit the position is a fix of the train, otherwise the station's coordinates; an unknown status gives null. */
function sourceOf(status: string | null): string | null {
  if (status === 'IN_TRANSIT_TO') return 'GPS'
  return status === 'STOPPED_AT' || status === 'INCOMING_AT' ? 'STATION' : null
}
