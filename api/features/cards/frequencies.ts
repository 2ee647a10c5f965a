/**
 * How often a dataset changes, by the list of frequencies of the EU vocabularies, where the cadence of its feeds does not say it:
 * tables that are derived, and publishers that are looked at more often than they publish.
 */
export const DATASET_FREQUENCIES: Readonly<Record<string, string>> = Object.freeze({
  ...every('HOURLY', 'v16_hours traffic_section_hours traffic_hours traffic_city_hours corridor_hours'),
  ...every('15MIN', 'traffic_forecasts'),
  ...every('12HRS', 'weather_forecast_hourly weather_forecast_daily'),
  ...every('DAILY', 'traffic_days traffic_typical_weeks fuel_days fuel_forecasts mobility_flow_days rail_timetable_changes risk_estimates'),
  ...every('DAILY', 'rail_stations rail_routes rail_shapes rail_trips rail_stop_times rail_calendar vms_devices cameras charging_sites'),
  ...every('DAILY', 'weather_days weather_road_days airport_days airport_observed_days model_scores'),
  ...every('WEEKLY', 'fuel_bulletin'),
  ...every('MONTHLY', 'traffic_readings_15m traffic_sensor_editions traffic_section_states_archive traffic_counts_hourly'),
  ...every('MONTHLY', 'mobility_trips mobility_district_trips mobility_gau_trips mobility_overnight_stays imd_detector_months'),
  ...every('MONTHLY', 'corridor_sensor_months road_accidents airport_traffic arrival_atfm_delays enroute_atfm_delays'),
  ...every(
    'ANNUAL',
    'municipality_register imd_sections imd_roads animal_accidents accident_codebook accident_sections accident_positions',
  ),
  ...every('ANNUAL', 'animal_accident_positions accident_hotspots risk_profiles'),
  ...every('IRREG', 'speed_cameras low_emission_zones traffic_count_stations road_points road_sections road_posts road_axes rail_stock'),
  ...every('IRREG', 'mobility_zones mobility_zone_members mobility_zone_points mobility_zone_areas traffic_models model_cards'),
  ...every('IRREG', 'weather_station_roads traffic_sections traffic_sensors air_quality_stations weather_stations marine_stations'),
  ...every('NEVER', 'mobility_v1_trips'),
})

function every(code: string, datasets: string): Readonly<Record<string, string>> {
  return Object.fromEntries(datasets.split(' ').map((id) => [id, code]))
}
