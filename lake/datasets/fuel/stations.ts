import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
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
    brand: col.string(4, 'Brand of the station as published.', { nullable: true, example: 'REPSOL' }),
    address: col.string(5, 'Street address.', { nullable: true, example: 'AUTOVIA A-2 KM. 586,5' }),
    locality: col.string(6, 'Locality as published.', { nullable: true, example: 'ABRERA' }),
    postal_code: col.string(7, 'Postal code, 5 digits.', { nullable: true, example: '08630' }),
    municipality: col.string(8, 'Municipality as published.', { nullable: true, example: 'Abrera' }),
    municipality_code: col.string(9, 'INE code of the municipality.', { nullable: true, example: '08001' }),
    province_code: col.string(10, 'INE code of the province.', { example: '08' }),
    position: col.point([11, 12], 'Position; null if the published one is impossible.', {
      nullable: true,
      example: { lat: 41.514583, lon: 1.897944 },
    }),
    side: col.code(13, 'Side of the road.', ROAD_SIDES, { nullable: true, example: 'RIGHT' }),
    opening_hours: col.string(14, 'Opening hours as published; days L M X J V S D.', { nullable: true, example: 'L-D: 24H' }),
    sale_type: col.code(15, 'Who may buy.', SALE_TYPES, { nullable: true, example: 'PUBLIC' }),
    reporter: col.code(16, 'Reporter of the prices.', PRICE_REPORTERS, { nullable: true, example: 'RETAILER' }),
    bioethanol_pct: col.decimal(17, 'Bioethanol in petrol.', { scale: 1, unit: '%', nullable: true, example: 0, min: 0, max: 100 }),
    methyl_ester_pct: col.decimal(18, 'Methyl ester in diesel.', { scale: 1, unit: '%', nullable: true, example: 0, min: 0, max: 100 }),
    position_issue: col.code(
      19,
      'Problem of the published position; null if there is none. A position that contradicts the address is excluded from searches.',
      POSITION_ISSUES,
      {
        nullable: true,
        example: null,
      },
    ),
    road: col.string(20, "Road in the address, in the traffic authority's spelling (N-II is N-2); null if it is not certain.", {
      nullable: true,
      example: 'A-2',
    }),
    km: col.decimal(21, "Kilometre post in the address; it may be older than the road's current kilometre posts.", {
      scale: 3,
      unit: 'km',
      nullable: true,
      example: 586.5,
      min: 0,
      max: 2000,
    }),
  },
  entity: ['station_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  partition: [month('observed_at')],
  order: ['station_id', 'observed_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
