import type { FeedListing } from '../../../lake/live/freshness.ts'

const RAIL_TABLES = ['rail_stations', 'rail_routes', 'rail_trips', 'rail_stop_times', 'rail_calendar']

/** The beginnings of sources' names, by domain; others belong to the roads. */
const DOMAINS = [
  ['miteco_ica', 'air'],
  ['madrid_air', 'air'],
  ['barcelona_air', 'air'],
  ['miteco', 'fuel'],
  ['renfe', 'rail'],
  ['fgc', 'rail'],
  ['aemet', 'weather'],
  ['mitma', 'mobility'],
  ['ourairports', 'aviation'],
  ['aena', 'aviation'],
  ['awc', 'aviation'],
  ['eurocontrol', 'aviation'],
  ['ais', 'maritime'],
] as const

/** The feeds that the worker would announce. */
export const FEEDS: readonly FeedListing[] = [
  listing('dgt_incidents', 'dgt', ['incidents', 'v16_beacons'], 60),
  listing('sct_incidents', 'sct', ['incidents'], 60),
  listing('madrid_traffic', 'madrid', ['traffic_readings', 'traffic_sensors'], 300),
  listing('madrid_sensors', 'madrid', ['traffic_sensors'], 86_400),
  listing('fuel_stations', 'miteco', ['fuel_stations', 'fuel_prices'], 1800),
  listing('renfe_gtfs_cercanias', 'renfe', [...RAIL_TABLES, 'rail_shapes'], 86_400),
  listing('renfe_gtfs_avldmd', 'renfe', RAIL_TABLES, 86_400),
  listing('renfe_alerts', 'renfe', ['rail_alerts'], 120),
  listing('renfe_trip_updates', 'renfe', ['rail_trip_updates', 'rail_alerts'], 20),
  listing('renfe_trip_updates_ld', 'renfe', ['rail_trip_updates', 'rail_alerts'], 30),
  listing('renfe_positions', 'renfe', ['rail_positions'], 20),
  listing('renfe_positions_ld', 'renfe', ['rail_positions'], 20),
  listing('fgc_trains', 'fgc', ['rail_positions'], 30),
  listing('renfe_flota_ld', 'renfe_visor', ['rail_fleet'], 30),
  listing('renfe_flota', 'renfe_visor', ['rail_fleet'], 30),
  listing('aemet_observation', 'aemet', ['weather_observations', 'weather_stations'], 3600),
  listing('aemet_stations', 'aemet', ['weather_stations'], 86_400),
  listing('mitma_imd', 'mitma_traffic_map', ['imd_sections'], 7 * 86_400),
  listing('aemet_daily', 'aemet', ['weather_daily'], 86_400),
  listing('aemet_warnings', 'aemet', ['weather_alerts'], 600),
  listing('aemet_forecast_hourly', 'aemet', ['weather_forecast_hourly'], 60),
  listing('aemet_forecast_daily', 'aemet', ['weather_forecast_daily'], 60),
  listing('miteco_ica', 'miteco_ica', ['air_quality_stations', 'air_quality_index'], 1200),
  listing('madrid_air', 'madrid_air', ['air_measurements'], 1200),
  listing('barcelona_air', 'barcelona_air', ['air_measurements'], 1800),
  listing('airports', 'ourairports', ['airports'], 86_400),
  listing('aena_flights', 'aena', ['flights'], 600),
  listing('metar', 'awc', ['airport_weather'], 900),
  listing('eurocontrol_traffic', 'eurocontrol', ['airport_traffic'], 86_400),
  listing('eurocontrol_arrival_delays', 'eurocontrol', ['arrival_atfm_delays'], 86_400),
  listing('ais_receivers', 'ais_receivers', ['vessel_positions', 'vessels'], 20),
]

function listing(id: string, source: string, ids: readonly string[], every_s: number): FeedListing {
  return {
    id,
    domain: DOMAINS.find(([begin]) => source.startsWith(begin))?.[1] ?? 'road',
    source,
    datasets: ids,
    every_s,
    urls: ['https://example.org/'],
    enabled: true,
  }
}
