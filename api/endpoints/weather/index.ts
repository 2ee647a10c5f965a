import { defineDomain } from '../../kernel/domain.ts'
import { weatherAlertById, weatherAlertChanges, weatherAlertList } from './alerts.ts'
import { weatherForecast, weatherForecastDays } from './forecast.ts'
import { weatherHistory, weatherStationHistory } from './series.ts'
import { weatherStationById, weatherStationList } from './station.ts'
import { drivingWeather } from './weather.ts'

/** Endpoints about the weather, in the order in which documentation shows them. */
export const weather = defineDomain({
  id: 'weather',
  title: { es: 'Tiempo y clima', en: 'Weather' },
  endpoints: [
    ...[drivingWeather, weatherForecast, weatherForecastDays, weatherAlertList, weatherAlertById, weatherAlertChanges],
    ...[weatherStationList, weatherStationById, weatherStationHistory, weatherHistory],
  ],
})
