import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { PERCENT, ROAD_KM } from '../../schema/quantities.ts'
import { POSITION_ISSUES, PRICE_REPORTERS, ROAD_SIDES, SALE_TYPES } from './codes.ts'
import { miteco } from './sources.ts'

/** Filling stations: the catalogue, without prices. */
export const fuelStations = defineDataset({
  id: 'fuel_stations',
  domain: 'fuel',
  title: 'Filling stations',
  about: 'Every filling station of the national register: brand, address, opening hours, position.',
  sources: [miteco],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'miteco' }),
    station_id: col.string(2, 'Official station code (IDEESS).', { example: '4375' }),
    observed_at: col.instant(3, 'Publication that gave this state.', { example: '2025-09-27T16:05:47.000Z' }),
    brand: col.string(4, 'Brand of the station as published.', orNull('REPSOL')),
    address: col.string(5, 'Street address.', orNull('AUTOVIA A-2 KM. 586,5')),
    locality: col.string(6, 'Locality as published.', orNull('ABRERA')),
    postal_code: col.string(7, 'Postal code, 5 digits.', orNull('08630')),
    municipality: col.string(8, 'Municipality as published.', orNull('Abrera')),
    municipality_code: col.string(9, 'INE code of the municipality.', orNull('08001')),
    province_code: col.string(10, 'INE code of the province.', { example: '08' }),
    position: col.point([11, 12], 'Position; null if the published one is impossible.', orNull({ lat: 41.514583, lon: 1.897944 })),
    side: col.code(13, 'Side of the road.', ROAD_SIDES, orNull('RIGHT')),
    opening_hours: col.string(14, 'Opening hours as published; days L M X J V S D.', orNull('L-D: 24H')),
    sale_type: col.code(15, 'Who may buy.', SALE_TYPES, orNull('PUBLIC')),
    reporter: col.code(16, 'Reporter of the prices.', PRICE_REPORTERS, orNull('RETAILER')),
    bioethanol_pct: col.decimal(17, 'Bioethanol in petrol.', { ...PERCENT, scale: 1, nullable: true, example: 0 }),
    methyl_ester_pct: col.decimal(18, 'Methyl ester in diesel.', { ...PERCENT, scale: 1, nullable: true, example: 0 }),
    position_issue: col.code(
      19,
      'Problem of the published position; null if there is none. A position that contradicts the address is excluded from searches.',
      POSITION_ISSUES,
      orNull(null),
    ),
    road: col.string(
      20,
      "Road in the address, in the traffic authority's spelling (N-II is N-2); null if it is not certain.",
      orNull('A-2'),
    ),
    km: col.decimal(21, "Kilometre post in the address; it may be older than the road's current kilometre posts.", {
      ...ROAD_KM,
      nullable: true,
      example: 586.5,
    }),
  },
  entity: ['station_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
