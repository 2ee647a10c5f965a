import { col, orNull } from '../../schema/columns.ts'
import { COUNT } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { ignRegister } from './sources.ts'

/** Municipalities with inhabitants and area, by edition of IGN's register; earlier editions are kept. */
export const municipalityRegister = roadDataset({
  id: 'municipality_register',
  title: 'Municipalities with inhabitants',
  about: "Municipalities with inhabitants, area and capital in IGN's register (NGMEP), by edition. In live mode the operator imports it.",
  sources: [ignRegister],
  columns: {
    edition: col.string(1, 'Year of the inhabitants.', { example: '2025' }),
    municipality_code: col.string(2, 'INE code of the municipality.', { example: '28079' }),
    province_code: col.string(3, 'INE code of the province.', { example: '28' }),
    name: col.string(4, 'Name as published.', { example: 'Madrid' }),
    population: col.integer(5, 'Inhabitants of the municipality.', { ...COUNT, nullable: true, example: 3_422_416 }),
    area_km2: col.decimal(6, 'Area.', { scale: 4, unit: 'km2', nullable: true, example: 605.77, min: 0 }),
    capital: col.string(7, 'Name of the settlement that is its capital.', orNull('Madrid')),
    capital_population: col.integer(8, 'Inhabitants of the capital.', { ...COUNT, nullable: true, example: 3_400_000 }),
    position: col.point([9, 10], 'Position of the capital.', orNull({ lat: 40.416694, lon: -3.703326 })),
    altitude_m: col.integer(11, 'Altitude of the capital.', { unit: 'm', nullable: true, example: 657 }),
    published_at: col.instant(12, 'Begin of the year of the edition.', { example: '2025-01-01T00:00:00.000Z' }),
  },
  entity: ['edition', 'municipality_code'],
  time: 'published_at',
  version: 'edition',
  plan: { live: 'FREE', history: 'FREE', bulk: 'ENTERPRISE' },
})
