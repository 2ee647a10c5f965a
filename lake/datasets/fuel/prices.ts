import { col, orNull } from '../../schema/columns.ts'
import { month } from '../../schema/dataset.ts'
import { PERCENT, ROAD_KM } from '../../schema/quantities.ts'
import { fuelDataset } from '../domains.ts'
import {
  FUEL_AREAS,
  FUEL_DAY_BASES,
  FUEL_PRODUCTS,
  POSITION_ISSUES,
  PRICE_ISSUES,
  PRICE_REPORTERS,
  PRICE_UNITS,
  ROAD_SIDES,
  SALE_TYPES,
} from './codes.ts'
import { miteco } from './sources.ts'

/** Filling stations: the catalogue, without prices. */
export const fuelStations = fuelDataset({
  id: 'fuel_stations',
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
})

/** Pump prices: a row when a price changes, appears or disappears. */
export const fuelPrices = fuelDataset({
  id: 'fuel_prices',
  title: 'Fuel prices by station',
  about: 'Pump price of each product at each filling station in Spain.',
  sources: [miteco],
  columns: {
    station_id: col.string(1, 'Official station code (IDEESS).', { example: '4375' }),
    product: col.code(2, 'Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
    price: col.decimal(3, 'Pump price, taxes included.', { scale: 3, unitIn: 'price_unit', example: 1.419, min: 0.001, max: 100 }),
    price_unit: col.code(4, 'EUR/L, or EUR/kg for gases and hydrogen.', PRICE_UNITS, { example: 'EUR/L' }),
    observed_at: col.instant(5, 'Publication time of the price.', { example: '2025-09-27T16:05:47.000Z' }),
    province_code: col.string(6, 'INE code of the province of the station.', { example: '08' }),
    price_issue: col.code(7, 'Why the price is not plausible; null if it is. Such prices are in no mean and no ranking.', PRICE_ISSUES, {
      ...{ nullable: true, example: null },
    }),
  },
  entity: ['station_id', 'product'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
})

/**
 * Pump prices by day from the ministry's archive: one file a day, republished in full. Separate from the change rows of
 * `fuel_prices`, because files arrive in any order and a corrected file replaces its day. Sorting makes repeated prices compress
 * well.
 */
export const fuelArchivePrices = fuelDataset({
  id: 'fuel_archive_prices',
  title: 'Fuel prices by station and day',
  about:
    "Pump price of each product at each filling station at the end of each day since 2007, from the ministry's archive. " +
    'For old days, brands and sale types are the current ones of the archive.',
  sources: [miteco],
  columns: {
    day: col.string(1, 'Day in Madrid; it is republished in full.', { example: '2025-09-26' }),
    day_starts_at: col.instant(2, 'Begin of the day.', { example: '2025-09-25T22:00:00.000Z' }),
    station_id: col.string(3, 'Official station code (IDEESS).', { example: '4375' }),
    product: col.code(4, 'Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
    price: col.decimal(5, 'Pump price, taxes included, of the last hours of the day.', {
      scale: 3,
      unitIn: 'price_unit',
      example: 1.419,
      min: 0.001,
      max: 100,
    }),
    price_unit: col.code(6, 'EUR/L, or EUR/kg for gases and hydrogen.', PRICE_UNITS, { example: 'EUR/L' }),
    province_code: col.string(7, 'INE code of the province of the station.', { example: '08' }),
    brand: col.string(8, 'Brand of the station.', orNull('REPSOL')),
    sale_type: col.code(9, 'Who may buy.', SALE_TYPES, orNull('PUBLIC')),
    price_issue: col.code(10, 'Why the price is not plausible; null if it is. Such prices are in no mean and no ranking.', PRICE_ISSUES, {
      ...{ nullable: true, example: null },
    }),
  },
  entity: ['day', 'station_id', 'product'],
  time: 'day_starts_at',
  version: 'day',
  isObservation: true,
  partition: [month('day_starts_at')],
  order: ['station_id', 'product', 'day_starts_at'],
})

const price = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 3, unitIn: 'price_unit', example, min: 0.001, max: 100 })

/**
 * Pump prices by day, derived month by month from the register's prices and stations. A day's price is the last one known at its
 * end in Madrid, from the archive if no price in Spain changed that day. Each open station counts once; members-only ones do not.
 */
export const fuelDays = fuelDataset({
  id: 'fuel_days',
  title: 'Fuel prices by day',
  about:
    'Mean, minimum, maximum and quartiles of pump prices by product at the end of each day in Madrid: for Spain, each province and each brand with three stations. ' +
    "Each station counts once; members-only stations and implausible prices are excluded. The current day reflects the newest publication. Days without a publication come from the ministry's archive, with its current brands.",
  sources: [miteco],
  columns: {
    month: col.string(1, 'Month of the day in Madrid, YYYY-MM.', { example: '2025-09' }),
    date: col.local_date(2, 'Day in Madrid.', { example: '2025-09-27' }),
    period_start: col.instant(3, 'Begin of the day.', { example: '2025-09-26T22:00:00.000Z' }),
    area_kind: col.code(4, 'What the statistics cover.', FUEL_AREAS, { example: 'NATION' }),
    area: col.string(5, 'ES, the INE code of the province, or the brand in lower case without accents and punctuation.', {
      example: 'ES',
    }),
    name: col.string(6, 'Brand, in its most common spelling; null except for OPERATOR.', orNull(null)),
    product: col.code(7, 'Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
    price_unit: col.code(8, 'Unit of the prices.', PRICE_UNITS, { example: 'EUR/L' }),
    stations: col.integer(9, 'Stations with a price.', { unit: '1', example: 11432, min: 1 }),
    price_mean: col.decimal(10, 'Mean price of the stations.', { scale: 4, unitIn: 'price_unit', example: 1.4321, min: 0.0001, max: 100 }),
    price_min: price(11, 'Least price.', 1.159),
    price_p25: price(12, 'Price that a quarter of the stations do not exceed.', 1.389),
    price_median: price(13, 'Price that half of the stations do not exceed.', 1.439),
    price_p75: price(14, 'Price that three quarters of the stations do not exceed.', 1.489),
    price_max: price(15, 'Greatest price.', 1.899),
    basis: col.code(16, "Basis of the day's prices.", FUEL_DAY_BASES, orNull('PUBLICATIONS')),
  },
  entity: ['month', 'date', 'area_kind', 'area', 'product'],
  time: 'period_start',
  version: 'month',
  order: ['area_kind', 'area', 'product', 'date'],
})

/** National daily means from the ministry's price evolution page: a window of 120 days, republished in full every day. */
export const fuelMinistryDays = fuelDataset({
  id: 'fuel_ministry_days',
  title: 'National means of the ministry by day',
  about:
    'Mean price of petrol 95 and diesel in Spain on each day, as the ministry publishes it. The method is not published: the value differs by up to half a cent from the mean of all stations.',
  sources: [miteco],
  columns: {
    day: col.string(1, 'Day in Madrid; it is republished while it is in the window.', { example: '2026-08-21' }),
    period_start: col.instant(2, 'Begin of the day.', { example: '2026-08-20T22:00:00.000Z' }),
    product: col.code(3, 'Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
    price_mean: col.decimal(4, 'Mean price, taxes included.', { scale: 6, unit: 'EUR/L', example: 1.728, min: 0.001, max: 100 }),
  },
  entity: ['day', 'product'],
  time: 'period_start',
  version: 'day',
  isObservation: true,
  partition: [month('period_start')],
  order: ['product', 'period_start'],
})
