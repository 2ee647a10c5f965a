import { type Column, col, orNull } from '../../schema/columns.ts'
import { BEARING, CELSIUS, PERCENT, PRESSURE, SNOW, WIND } from '../../schema/quantities.ts'
import { weatherDataset } from '../domains.ts'
import { aemet } from './sources.ts'

/** Weather stations, from the inventory and from the observations. Both descriptions are stored; `listing` distinguishes them. */
export const weatherStations = weatherDataset({
  id: 'weather_stations',
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
})

const NONE = { nullable: true } as const

/** A temperature, to a tenth. */
const celsius = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.decimal(id, about, { ...CELSIUS, example })

/** A wind speed, to a tenth. */
const speed = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.decimal(id, about, { ...WIND, example })

/** Wind direction, in whole degrees from north; null in calm. */
const bearing = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.integer(id, about, { ...BEARING, nullable: true, example })

/** Precipitation in the hour. AEMET's own gauges give tenths, disdrometers hundredths. */
const rain = (id: number, about: string, options: { scale: number; example: number | null }): Column<number | null> =>
  col.decimal(id, about, { ...NONE, ...options, unit: 'mm', min: 0, max: 500 })

/** Height of a pressure level. */
const level = (id: number, about: string): Column<number | null> =>
  col.decimal(id, about, { ...NONE, scale: 1, unit: 'm', example: null, min: 0, max: 5000 })

/** Hourly observations. Stations measure different quantities; missing ones are null. */
export const weatherObservations = weatherDataset({
  id: 'weather_observations',
  title: 'Hourly weather observations',
  about:
    'What weather stations measured in each hour, not yet validated. A publication repeats the last 12 hours, and the newest are incomplete. The first published value of an hour counts.',
  sources: [aemet],
  columns: {
    source: col.string(1, 'Source of the observation.', { example: 'aemet' }),
    station_id: col.string(2, "The publisher's id of the station (indicativo climatológico).", { example: '3195' }),
    period_s: col.integer(3, 'Length of the period of the observation.', { unit: 's', example: 3600, min: 1 }),
    observed_at: col.instant(4, 'End of the hour.', { example: '2025-12-06T09:00:00.000Z' }),
    precipitation_mm: rain(5, 'Precipitation of the hour, as water (prec).', { scale: 1, example: 1.2 }),
    temp_c: celsius(6, 'Temperature of the air at the end of the hour (ta).', 9.5),
    temp_min_c: celsius(7, 'Lowest temperature of the air in the hour (tamin).', 9.4),
    temp_max_c: celsius(8, 'Highest temperature of the air in the hour (tamax).', 12.2),
    humidity_pct: col.integer(9, 'Relative humidity at the end of the hour (hr).', { ...PERCENT, nullable: true, example: 70 }),
    wind_mean_m_s: speed(10, 'Mean wind of the last 10 minutes of the hour (vv).', 3),
    wind_dir_deg: bearing(11, 'Mean direction of that wind, null if calm (dv).', 340),
    gust_m_s: speed(12, 'Strongest gust of the hour, of 3 s (vmax).', 5.1),
    gust_dir_deg: bearing(13, 'Direction of that gust, null if calm (dmax).', 350),
    wind_sd_m_s: speed(14, 'Standard deviation of the wind speed over the last 10 minutes (stdvv).', 0.3),
    wind_dir_sd_deg: col.integer(15, 'Standard deviation of the wind direction over the last 10 minutes (stddv).', {
      ...BEARING,
      nullable: true,
      example: 6,
    }),
    pressure_hpa: col.decimal(16, 'Pressure at the station (pres).', { ...PRESSURE, example: 1008.1 }),
    pressure_sea_level_hpa: col.decimal(17, 'Sea-level pressure, calculated; stations up to 750 m (pres_nmar).', {
      ...NONE,
      scale: 1,
      unit: 'hPa',
      example: 1017.4,
      min: 800,
      max: 1100,
    }),
    dew_point_c: celsius(18, 'Dew point (tpr).', 4.3),
    ground_temp_c: celsius(19, 'Temperature of the ground (ts).', 7.1),
    soil_temp_5cm_c: celsius(20, 'Temperature 5 cm below the ground (tss5cm).'),
    soil_temp_20cm_c: celsius(21, 'Temperature 20 cm below the ground (tss20cm).'),
    visibility_m: col.integer(22, 'Visibility, published in km (vis).', { ...NONE, unit: 'm', example: 30_000, min: 0, max: 200_000 }),
    sunshine_min: col.decimal(23, 'Sunshine in the hour (inso): the published unit does not fit; values are 0 to 60.', {
      ...NONE,
      scale: 1,
      unit: 'min',
      example: 0,
      min: 0,
      max: 60,
    }),
    wind_run_km: col.decimal(24, 'Wind run in the hour, published in hm (rviento).', {
      ...NONE,
      scale: 1,
      unit: 'km',
      example: null,
      min: 0,
      max: 1000,
    }),
    disdrometer_precipitation_mm: rain(25, 'Precipitation of the hour by disdrometer (pacutp).', { scale: 2, example: null }),
    liquid_precipitation_mm: rain(26, 'Liquid precipitation of the hour (pliqt).', { scale: 1, example: null }),
    solid_precipitation_mm: rain(27, 'Solid precipitation of the hour (psoltp).', { scale: 1, example: null }),
    snow_cm: col.decimal(28, 'Snow on the ground (nieve).', { ...SNOW, example: null }),
    geopotential_700hpa_m: level(29, 'Height of the 700 hPa level; stations above 2,300 m (geo700).'),
    geopotential_850hpa_m: level(30, 'Height of the 850 hPa level; stations from 1,000 to 2,300 m (geo850).'),
    geopotential_925hpa_m: level(31, 'Height of the 925 hPa level; stations from 750 to 1,000 m (geo925).'),
    ultrasonic_wind_mean_m_s: speed(32, 'As wind_mean_m_s, from a second, ultrasonic anemometer (vvu).'),
    ultrasonic_wind_dir_deg: bearing(33, 'As wind_dir_deg, from the second anemometer (dvu).'),
    ultrasonic_gust_m_s: speed(34, 'As gust_m_s, from the second anemometer (vmaxu).'),
    ultrasonic_gust_dir_deg: bearing(35, 'As gust_dir_deg, from the second anemometer (dmaxu).'),
    ultrasonic_wind_sd_m_s: speed(36, 'As wind_sd_m_s, from the second anemometer (stdvvu).'),
    ultrasonic_wind_dir_sd_deg: col.integer(37, 'As wind_dir_sd_deg, from the second anemometer (stddvu).', {
      ...BEARING,
      nullable: true,
      example: null,
    }),
  },
  entity: ['source', 'station_id', 'period_s'],
  time: 'observed_at',
  timeEnds: { sources: [aemet], longest_s: 3600 },
  writeMode: 'append',
  order: ['source', 'station_id', 'observed_at'],
})
