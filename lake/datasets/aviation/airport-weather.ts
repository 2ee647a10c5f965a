import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { FLIGHT_CATEGORIES, SKY_COVERS } from './codes.ts'
import { awc } from './sources.ts'

const NONE = { nullable: true } as const
const SPEED = { ...NONE, scale: 1, unit: 'm/s', min: 0, max: 120 } as const
const CELSIUS = { ...NONE, scale: 1, unit: 'Cel', min: -60, max: 60 } as const

/** Weather reports of Spanish airports, every half hour or hour. */
export const airportWeather = defineDataset({
  id: 'airport_weather',
  domain: 'aviation',
  title: 'Weather at airports',
  about: 'METAR reports of Spanish airports: wind, visibility, clouds and weather, each observation.',
  sources: [awc],
  columns: {
    source: col.string(1, 'Source of the report.', { example: 'awc' }),
    iata: col.string(2, 'IATA code of the airport.', { example: 'MAD' }),
    icao: col.string(3, 'ICAO code as in the report.', { example: 'LEMD' }),
    observed_at: col.instant(4, 'When it was observed.', { example: '2026-10-26T12:30:00.000Z' }),
    report_type: col.string(5, 'METAR, or SPECI for one between the regular hours.', orNull('METAR')),
    wind_m_s: col.decimal(6, 'Mean wind.', { ...SPEED, example: 4.1 }),
    wind_dir_deg: col.integer(7, 'Direction from which the wind blows, 360 for north; null if it is calm or varies.', {
      ...{ ...NONE, unit: 'deg', example: 240, min: 0, max: 360 },
    }),
    gust_m_s: col.decimal(8, 'Gusts; null if there are none.', { ...SPEED, example: null }),
    visibility_m: col.integer(9, 'Prevailing visibility as reported; 10,000 stands for 10 km or more.', {
      ...{ ...NONE, unit: 'm', example: 10_000, min: 0, max: 200_000 },
    }),
    is_visibility_exceeded: col.boolean(10, 'True if the visibility may be greater than the value (9999 and CAVOK).', orNull(true)),
    ceiling_m: col.integer(11, 'Height of the lowest broken or overcast clouds above the airport; null if there are none.', {
      ...{ ...NONE, unit: 'm', example: 1219, min: 0, max: 20_000 },
    }),
    cover: col.code(19, 'Sky cover; null if the report does not state it, as without a sensor.', SKY_COVERS, orNull('BKN')),
    clouds: col.string(12, 'Layers of clouds: cover and height in feet.', orNull('FEW2000 BKN4000')),
    weather: col.string(13, 'Weather as in the report: RA rain, SN snow, FG fog, TS thunderstorm and so on.', orNull('-RA')),
    temp_c: col.decimal(14, 'Temperature of the air.', { ...CELSIUS, example: 15 }),
    dew_point_c: col.decimal(15, 'Dew point.', { ...CELSIUS, example: 8 }),
    pressure_hpa: col.decimal(16, 'Pressure at sea level (QNH).', { ...NONE, scale: 1, unit: 'hPa', example: 1018, min: 850, max: 1100 }),
    flight_category: col.code(17, 'Flight category by ceiling and visibility.', FLIGHT_CATEGORIES, orNull('VFR')),
    report: col.string(18, 'The report as it was sent.', { example: 'METAR LEMD 261230Z 24008KT 9999 -RA FEW020 BKN040 15/08 Q1018' }),
  },
  entity: ['source', 'iata'],
  time: 'observed_at',
  writeMode: 'append',
  currentFor_ms: 6 * 3_600_000,
  order: ['iata', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
