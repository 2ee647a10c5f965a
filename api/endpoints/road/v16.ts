import { v16Beacons } from '../../../lake/datasets/road/v16-beacons.ts'
import { type ChangeOf, defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { pick, projection, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters/area.ts'
import { placeFilter } from '../../kernel/filters/place.ts'
import { roadFilter } from '../../kernel/filters/road.ts'
import { originFields, placeFields } from '../common-fields.ts'

const { columns } = v16Beacons

/** A beacon. Nothing in it links two activations of one vehicle. */
export const beacon = record('V16Beacon', 'An active V16 emergency beacon: a stopped vehicle on the road.', {
  id: columns.beacon_id,
  ...pick(columns, 'road', 'km', 'direction', 'compass_direction'),
  ...placeFields(columns),
  ...pick(columns, 'position', 'activated_at'),
  ...originFields(columns),
})

/** Converts rows of the dataset to beacons. */
export const toBeacon = projection(v16Beacons, beacon)

/** The beacon of a change; its status says whether it is still active. */
export function changedBeacon(change: ChangeOf<typeof v16Beacons>): ValueOf<typeof beacon.fields> {
  const made = toBeacon(change.row)
  return change.kind === 'ENDED' ? { ...made, status: 'ENDED' } : made
}

/** Active beacons. */
export const v16List = defineEndpoint({
  path: '/api/v16',
  domain: 'road',
  plan: 'FREE',
  summary: 'Active V16 emergency beacons with their position',
  summary_es: 'Balizas V16 activas, con su posición',
  about: 'The id identifies one activation only; the id of the source is never shown.',
  params: {},
  filters: [placeFilter, roadFilter, areaFilter],
  returns: listReturn('beacons', beacon, { sorts: ['id', 'activated_at', 'updated_at', 'road', 'km'] }),
  read: { kind: 'memory', from: [v16Beacons], records: ([state]) => state.rows.map(toBeacon) },
  example: { province: 'Murcia' },
})
