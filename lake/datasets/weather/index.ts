import type { Dataset } from '../../schema/dataset.ts'
import { weatherAlerts } from './weather-alerts.ts'
import { weatherDaily } from './weather-daily.ts'
import { weatherDays } from './weather-days.ts'
import { weatherForecastDaily } from './weather-forecast-daily.ts'
import { weatherForecastHourly } from './weather-forecast-hourly.ts'
import { weatherObservations } from './weather-observations.ts'
import { weatherRoadDays } from './weather-road-days.ts'
import { weatherStationRoads } from './weather-station-roads.ts'
import { weatherStations } from './weather-stations.ts'

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
