import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { RAIL_COUNTRIES } from './codes.ts'
import { renfe } from './sources.ts'

/**
 * What Renfe's list of stations says of each beside its timetables: address, place, which networks use it. A table of its own, since it is made at
 * other times than they are: reads join it to `rail_stations` by the code of the stop. It has 697 of the 1,162 commuter stops of August 2026.
 */
export const railStationRegister = defineDataset({
  id: 'rail_station_register',
  domain: 'rail',
  title: 'Register of rail stations',
  about:
    "Renfe's list of stations: address, postal code, municipality, province, country, and whether commuter or metre-gauge trains call.",
  sources: [renfe],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe' }),
    stop_id: col.string(2, 'Code of the station, five digits; the same as in rail_stations.', { example: '70701' }),
    observed_at: col.instant(3, 'Fetch that gave this state: the list does not say when it was made.', {
      example: '2026-06-24T00:00:00.000Z',
    }),
    name: col.string(4, 'Name as published, in capitals.', { example: 'CALATORAO' }),
    address: col.string(5, 'Street address as published; U+FFFD stands for a character that the publisher lost.', {
      nullable: true,
      example: 'Av. Doctor Carnicero, S/N',
    }),
    postal_code: col.string(6, 'Postal code; of Spain five digits, a lost zero put back, null where they are none.', {
      nullable: true,
      example: '50280',
    }),
    municipality: col.string(7, 'Municipality as published.', { nullable: true, example: 'CALATORAO' }),
    municipality_code: col.string(8, 'INE code of the municipality; of Spain only.', { nullable: true, example: '50068' }),
    province: col.string(9, 'Province as published; null where it is said not to be known.', { nullable: true, example: 'ZARAGOZA' }),
    province_code: col.string(10, 'INE code of the province; of Spain only.', { nullable: true, example: '50' }),
    country: col.code(11, 'Country as published; null in lists without it.', RAIL_COUNTRIES, { nullable: true, example: 'ES' }),
    position: col.point([12, 13], 'Where it is; null where the published position cannot be right.', {
      nullable: true,
      example: { lat: 41.528692, lon: -1.360545 },
    }),
    is_commuter: col.boolean(14, 'Whether commuter trains (Cercanías) call; null in lists that do not say.', {
      nullable: true,
      example: false,
    }),
    is_metre_gauge: col.boolean(15, 'Whether it is of the metre-gauge network (once FEVE); null in lists that do not say.', {
      nullable: true,
      example: false,
    }),
    city_group: col.string(16, 'Mark that stations of one city share; most stations have none.', { nullable: true, example: null }),
  },
  entity: ['stop_id'],
  time: 'observed_at',
  land: 'changes',
  absence: 'missing',
  partition: [month('observed_at')],
  order: ['stop_id', 'observed_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
