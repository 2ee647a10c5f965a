import type { Dataset } from '../../schema/dataset.ts'
import { weatherForecastDaily, weatherForecastHourly } from './forecasts.ts'
import { weatherAlerts } from './weather-alerts.ts'
import { weatherDaily, weatherDays, weatherRoadDays } from './weather-days.ts'
import { weatherStationRoads } from './weather-station-roads.ts'
import { weatherObservations, weatherStations } from './weather-stations.ts'

/** Datasets about the weather, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([
  weatherStations,
  weatherObservations,
  weatherAlerts,
  weatherForecastHourly,
  weatherForecastDaily,
  weatherDaily,
  weatherDays,
  weatherStationRoads,
  weatherRoadDays,
])
