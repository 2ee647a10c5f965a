import { vesselPositions } from '../../../lake/datasets/maritime/vessel-positions.ts'
import { vessels } from '../../../lake/datasets/maritime/vessels.ts'
import type { State } from '../../kernel/endpoint.ts'
import { optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { stateFields } from '../common-fields.ts'

const [seen, said] = [vesselPositions.columns, vessels.columns]

/** The MMSI of a vessel as a path parameter. */
export const mmsiParam = required(textParam('Maritime Mobile Service Identity: nine digits.', { max: 9, example: '224123450' }))

/** A vessel with its last position. */
export const vessel = record(
  'Vessel',
  'A vessel with its last reported position.',
  {
    mmsi: seen.mmsi,
    ...pick(said, 'name', 'callsign', 'imo_number', 'vessel_type', 'ais_type'),
    ...pick(
      seen,
      'ais_class',
      'position',
      'is_accurate',
      'speed_kn',
      'course_deg',
      'heading_deg',
      'rate_of_turn_deg_min',
      'navigation_status',
    ),
    ...pick(said, 'length_m', 'beam_m', 'draught_m', 'destination'),
    described_at: optional(said.observed_at, 'When name, type, dimensions and voyage last changed; null if none were received.'),
    source: seen.source,
    observed_at: seen.observed_at,
    ...stateFields(seen.observed_at),
  },
  { id: 'mmsi' },
)

/** A vessel, ready for replies. */
export type VesselRecord = ValueOf<(typeof vessel)['fields']>
type PositionRow = State<typeof vesselPositions>['rows'][number]
type VesselRow = State<typeof vessels>['rows'][number]

/** The record of a vessel from a position and its description. */
export function toVessel(row: PositionRow, known: VesselRow | undefined): VesselRecord {
  return {
    mmsi: row.mmsi,
    name: known?.name ?? null,
    callsign: known?.callsign ?? null,
    imo_number: known?.imo_number ?? null,
    vessel_type: known?.vessel_type ?? null,
    ais_type: known?.ais_type ?? null,
    ais_class: row.ais_class,
    position: row.position,
    is_accurate: row.is_accurate,
    speed_kn: row.speed_kn,
    course_deg: row.course_deg,
    heading_deg: row.heading_deg,
    rate_of_turn_deg_min: row.rate_of_turn_deg_min,
    navigation_status: row.navigation_status,
    length_m: known?.length_m ?? null,
    beam_m: known?.beam_m ?? null,
    draught_m: known?.draught_m ?? null,
    destination: known?.destination ?? null,
    described_at: known?.observed_at ?? null,
    source: row.source,
    observed_at: row.observed_at,
    updated_at: row.updated_at,
    status: row.status,
    is_stale: row.is_stale,
  }
}

/** Each vessel once, by its newest position of any source, with the newest description of any. */
export function vesselsOf([positions, descriptions]: readonly [State<typeof vesselPositions>, State<typeof vessels>]): VesselRecord[] {
  const newest = new Map<string, PositionRow>()
  for (const row of positions.rows) {
    const other = newest.get(row.mmsi)
    if (!other || other.observed_at < row.observed_at) newest.set(row.mmsi, row)
  }
  const described = new Map<string, VesselRow>()
  for (const row of descriptions.rows) {
    const other = described.get(row.mmsi)
    if (!other || other.observed_at < row.observed_at) described.set(row.mmsi, row)
  }
  return [...newest.values()].map((row) => toVessel(row, described.get(row.mmsi)))
}
