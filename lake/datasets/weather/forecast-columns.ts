import { type Column, col, orNull } from '../../schema/columns.ts'
import { PERCENT, WIND } from '../../schema/quantities.ts'
import { CLOUD_COVERS, FORECAST_PHENOMENA } from './forecast-codes.ts'

const NONE = { nullable: true } as const

/** A temperature in whole degrees, as forecasts give it. */
export const degrees = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.integer(id, about, { ...NONE, unit: 'Cel', example, min: -60, max: 70 })

/** A wind speed; published in whole km/h. */
export const speed = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.decimal(id, about, { ...WIND, example })

/** A share or probability in per cent. */
export const percent = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.integer(id, about, { ...PERCENT, nullable: true, example })

/** Precipitation as water. */
export const water = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.decimal(id, about, { ...NONE, scale: 1, unit: 'mm', example, min: 0, max: 500 })

/** Wind direction. */
export const bearing = (id: number, example: number | null): Column<number | null> =>
  col.integer(id, 'Direction from which the wind blows, to an eighth of the compass; null for calm.', {
    ...{ ...NONE, unit: 'deg', example, min: 0, max: 359 },
  })

/** The first columns of every forecast row. */
export const placeAndTime = {
  source: col.string(1, 'Source of the forecast.', { example: 'aemet' }),
  municipality_code: col.string(2, 'INE code of the municipality, five digits.', { example: '28079' }),
  province_code: col.string(3, 'INE code of its province, two digits.', { example: '28' }),
  valid_from: col.instant(4, 'Begin of the forecast period, in the local time of the municipality.', {
    example: '2026-01-09T12:00:00.000Z',
  }),
  valid_to: col.instant(5, 'End of the forecast period.', { example: '2026-01-09T13:00:00.000Z' }),
  issued_at: col.instant(6, 'When AEMET made the forecast (elaborado).', { example: '2026-01-09T10:47:45.000Z' }),
} as const

/** The state of the sky, as published and in codes. */
export const sky = {
  sky_code: col.string(7, "AEMET's code of the state of the sky (estadoCielo); a final `n` means night.", orNull('46')),
  sky_description: col.string(8, "AEMET's name of that state.", orNull('Cubierto con lluvia escasa')),
  cloud_cover: col.code(9, 'Clouds; null if only fog, mist or haze is forecast.', CLOUD_COVERS, orNull('OVERCAST')),
  phenomenon: col.code(10, 'Precipitation or low visibility.', FORECAST_PHENOMENA, orNull('LIGHT_RAIN')),
} as const
