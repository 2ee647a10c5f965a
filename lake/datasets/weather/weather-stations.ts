import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { aemet } from './sources.ts'

/** Weather stations, from the inventory and from the observations. Both descriptions are stored; `listing` distinguishes them. */
export const weatherStations = defineDataset({
  id: 'weather_stations',
  domain: 'weather',
  title: 'Weather stations',
  about: 'Catalogue of weather stations: name, province, height, position.',
  sources: [aemet],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'aemet' }),
    listing: col.string(2, "INVENTORY for the published inventory, OBSERVATION for the observations' description of their stations.", {
      example: 'INVENTORY',
    }),
    station_id: col.string(3, "The publisher's id of the station (indicativo climatológico).", { example: '3195' }),
    observed_at: col.instant(4, 'Publication of this state.', { example: '2025-12-06T09:00:00.000Z' }),
    name: col.string(5, 'Name as published, with double spaces collapsed.', { example: 'MADRID, RETIRO' }),
    province_code: col.string(6, 'INE code of the province: from its name in the inventory, else from the position.', orNull('28')),
    municipality_code: col.string(7, 'INE code of the municipality that contains the position.', orNull('28079')),
    altitude_m: col.decimal(8, 'Height above the sea.', { scale: 2, unit: 'm', nullable: true, example: 667, min: -100, max: 4000 }),
    synop_code: col.string(9, 'Number of the station in reports of the WMO; only in the inventory.', orNull('08222')),
    position: col.point([10, 11], 'Where it is.', orNull({ lat: 40.411804, lon: -3.678095 })),
  },
  entity: ['source', 'listing', 'station_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
