import { col, orNull } from '../../schema/columns.ts'
import { railDataset } from '../domains.ts'
import { RAIL_COUNTRIES } from './codes.ts'
import { renfe } from './sources.ts'

/**
 * Renfe's station list: address, place and networks. Separate from the timetables, which are made at other times; join with
 * `rail_stations` by stop code. It has 697 of the 1,162 commuter stops of August 2026.
 */
export const railStationRegister = railDataset({
  id: 'rail_station_register',
  title: 'Register of rail stations',
  about:
    "Renfe's list of stations: address, postal code, municipality, province, country, and whether commuter or metre-gauge trains call.",
  sources: [renfe],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe' }),
    stop_id: col.string(2, 'Code of the station, five digits; the same as in rail_stations.', { example: '70701' }),
    observed_at: col.instant(3, 'Fetch of this state: the list has no date.', {
      example: '2026-06-24T00:00:00.000Z',
    }),
    name: col.string(4, 'Name as published, in capitals.', { example: 'CALATORAO' }),
    address: col.string(
      5,
      'Street address as published; U+FFFD replaces characters that the publisher lost.',
      orNull('Av. Doctor Carnicero, S/N'),
    ),
    postal_code: col.string(6, 'Postal code; in Spain five digits, with a lost zero restored, null if invalid.', orNull('50280')),
    municipality: col.string(7, 'Municipality as published.', orNull('CALATORAO')),
    municipality_code: col.string(8, 'INE code of the municipality; Spain only.', orNull('50068')),
    province: col.string(9, 'Province as published; null if published as unknown.', orNull('ZARAGOZA')),
    province_code: col.string(10, 'INE code of the province; Spain only.', orNull('50')),
    country: col.code(11, 'Country as published; null in lists without it.', RAIL_COUNTRIES, orNull('ES')),
    position: col.point([12, 13], 'Position; null if the published one is impossible.', orNull({ lat: 41.528692, lon: -1.360545 })),
    is_commuter: col.boolean(14, 'Whether commuter trains (Cercanías) call; null in lists that do not state it.', orNull(false)),
    is_metre_gauge: col.boolean(
      15,
      'Whether it belongs to the metre-gauge network (formerly FEVE); null in lists that do not state it.',
      orNull(false),
    ),
    city_group: col.string(16, 'Mark that stations of one city share; most stations have none.', orNull(null)),
  },
  entity: ['stop_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})
