import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { PRICE_REPORTERS } from '../fuel/codes.ts'
import { miteco } from '../fuel/sources.ts'
import { MARINE_USES } from './marine-codes.ts'

/** Stations that sell fuel to vessels: the catalogue, without prices. */
export const marineStations = defineDataset({
  id: 'marine_stations',
  domain: 'maritime',
  title: 'Marine fuel stations',
  about: 'Every station of the national register that supplies leisure craft or fishing vessels: port, address, opening hours, position.',
  sources: [miteco],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'miteco' }),
    station_id: col.string(2, 'Id made of municipality, address and use, since the two layouts of the register have no id in common.', {
      example: 'mar_3f1c09a2b7de',
    }),
    observed_at: col.instant(3, 'Publication that gave this state.', { example: '2026-06-20T08:02:54.000Z' }),
    register_id: col.string(4, "The register's own id (IDPosteMaritimo); null if the publication was the spreadsheet.", orNull('275')),
    port: col.string(5, 'Port as published; null if the publication was the spreadsheet.', orNull('MARINA LANZAROTE')),
    brand: col.string(6, 'Sign of the station as published; null if it has none.', orNull('REPSOL')),
    address: col.string(7, 'Street address.', { example: 'AVENIDA OLOF PALME S/N' }),
    locality: col.string(8, 'Locality as published.', orNull('ARRECIFE')),
    postal_code: col.string(9, 'Postal code, 5 digits.', orNull('35500')),
    municipality: col.string(10, 'Municipality as published.', orNull('Arrecife')),
    municipality_code: col.string(11, 'INE code of the municipality.', orNull('35004')),
    province_code: col.string(12, 'INE code of the province.', orNull('35')),
    position: col.point([13, 14], 'Position; null if none is published.', orNull({ lat: 28.966944, lon: -13.534722 })),
    use: col.code(15, 'Which vessels it supplies.', MARINE_USES, { example: 'LEISURE' }),
    opening_hours: col.string(16, 'Opening hours as published; days L M X J V S D.', orNull('L-D: 08:00-20:00')),
    reporter: col.code(17, 'Reporter of the prices.', PRICE_REPORTERS, orNull('RETAILER')),
  },
  entity: ['station_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
