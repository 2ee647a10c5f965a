import { col, orNull } from '../../schema/columns.ts'
import { aviationDataset } from '../domains.ts'
import { AIRPORT_TYPES, FLIGHT_CATEGORIES, SKY_COVERS } from './codes.ts'
import { awc, openflights, ourairports } from './sources.ts'

/** Spanish airports with an IATA code. */
export const airports = aviationDataset({
  id: 'airports',
  title: 'Airports',
  about: 'Spanish airports and heliports with an IATA code: names, codes, height and position.',
  sources: [ourairports, openflights],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'ourairports' }),
    iata: col.string(2, 'IATA code.', { example: 'MAD' }),
    observed_at: col.instant(3, 'Publication that gave this state.', { example: '2026-08-22T06:00:00.000Z' }),
    icao: col.string(4, 'ICAO code; null if it has none.', orNull('LEMD')),
    name: col.string(5, 'Name as published.', { example: 'Adolfo Suárez Madrid–Barajas Airport' }),
    type: col.code(6, 'Kind of airport; null where the source does not grade airports.', AIRPORT_TYPES, orNull('LARGE_AIRPORT')),
    municipality: col.string(7, 'Town served, as published.', orNull('Madrid')),
    province_code: col.string(8, 'INE code of the province that the position is in.', orNull('28')),
    municipality_code: col.string(9, 'INE code of the municipality that the position is in.', orNull('28079')),
    has_scheduled_service: col.boolean(10, 'True if scheduled flights use it; null if the source does not state it.', orNull(true)),
    elevation_m: col.integer(11, 'Height above the sea.', { unit: 'm', nullable: true, example: 609, min: -100, max: 4000 }),
    time_zone: col.string(12, 'IANA zone of its clocks.', { example: 'Europe/Madrid' }),
    keywords: col.string(13, 'Other names in use, as published.', orNull('Barajas')),
    position: col.point([14, 15], 'Where it is.', orNull({ lat: 40.471926, lon: -3.56264 })),
  },
  entity: ['iata'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})

const NONE = { nullable: true } as const
const SPEED = { ...NONE, scale: 1, unit: 'm/s', min: 0, max: 120 } as const
const CELSIUS = { ...NONE, scale: 1, unit: 'Cel', min: -60, max: 60 } as const

/** Weather reports of Spanish airports, every half hour or hour. */
export const airportWeather = aviationDataset({
  id: 'airport_weather',
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
})
