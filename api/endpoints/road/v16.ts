import { v16Beacons } from '../../../lake/datasets/road/v16-beacons.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { projection, record } from '../../define/fields.ts'
import { areaFilter } from '../../filters/area.ts'
import { placeFilter } from '../../filters/place.ts'
import { roadFilter } from '../../filters/road.ts'
import { provinceField, provinceName, stateFields } from '../tail.ts'

const { columns } = v16Beacons

/** A beacon; nothing in it tells two activations of one vehicle to be the same. */
const beacon = record('V16Beacon', 'An active V16 emergency beacon: a vehicle that stands on the road.', {
  id: columns.beacon_id,
  road: columns.road,
  km: columns.km,
  direction: columns.direction,
  compass_direction: columns.compass_direction,
  province: provinceField(columns.province_code),
  province_code: columns.province_code,
  municipality: columns.municipality,
  municipality_code: columns.municipality_code,
  position: columns.position,
  activated_at: columns.activated_at,
  source: columns.source,
  observed_at: columns.observed_at,
  ...stateFields(columns.observed_at),
})

const toBeacon = projection(v16Beacons, beacon, { province: (row) => provinceName(row.province_code) })

/** Active beacons. */
export const v16List = defineEndpoint({
  path: '/api/v16',
  domain: 'road',
  plan: 'FREE',
  summary: 'Active V16 emergency beacons with their position',
  about: 'The id names one activation and nothing else; the id of the source is never shown.',
  params: {},
  filters: [placeFilter, roadFilter, areaFilter],
  returns: {
    kind: 'list',
    name: 'beacons',
    record: beacon,
    key: ['id'],
    id: 'id',
    sorts: ['id', 'activated_at', 'updated_at', 'road', 'km'],
    order: 'id',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'memory',
    from: [v16Beacons],
    records: ([state]) => state.rows.map(toBeacon),
  },
  example: { province: 'Murcia' },
})
