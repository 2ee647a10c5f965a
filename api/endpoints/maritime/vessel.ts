import { vesselPositions } from '../../../lake/datasets/maritime/vessel-positions.ts'
import { vessels } from '../../../lake/datasets/maritime/vessels.ts'
import type { State } from '../../kernel/endpoint.ts'
import { joined, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
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
    ...pick(seen, 'ais_class', 'position', 'is_accurate', 'speed_kn', 'course_deg', 'heading_deg', 'rate_of_turn_deg_min'),
    navigation_status: seen.navigation_status,
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
export const toVessel = joined<typeof vessel.fields, [PositionRow, VesselRow | undefined]>([vesselPositions, vessels], vessel)

/** Each vessel once, by its newest position of any source, with the newest description of any. */
export function vesselsOf([positions, descriptions]: readonly [State<typeof vesselPositions>, State<typeof vessels>]): VesselRecord[] {
  const described = newestOf(descriptions.rows)
  return [...newestOf(positions.rows).values()].map((row) => toVessel(row, described.get(row.mmsi)))
}

function newestOf<R extends { readonly mmsi: string; readonly observed_at: number }>(rows: readonly R[]): ReadonlyMap<string, R> {
  const newest = new Map<string, R>()
  for (const row of rows) if ((newest.get(row.mmsi)?.observed_at ?? Number.NEGATIVE_INFINITY) < row.observed_at) newest.set(row.mmsi, row)
  return newest
}
