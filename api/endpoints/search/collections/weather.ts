import { weatherAlerts } from '../../../../lake/datasets/weather/weather-alerts.ts'
import { weatherStations } from '../../../../lake/datasets/weather/weather-stations.ts'
import { provinceByCode } from '../../../../lake/places/provinces.ts'
import { provinceName } from '../../common-fields.ts'
import { stationsOf } from '../../weather/station.ts'
import { defineCollection, joinParts } from '../collection.ts'

export const weatherStationCollection = defineCollection({
  id: 'weather-stations',
  title: 'Weather stations',
  about: 'Weather stations, by name and code.',
  words: 'estacion meteorologica, estaciones meteorologicas, meteo, clima, tiempo, aemet, temperatura, weather, weather station',
  weights: { title: 2.5 },
  from: [weatherStations],
  detail: '/api/clima/estaciones/{id}',
  documents: function* ([state]) {
    for (const { id, name, synop_code, position, province_code, municipality_code } of stationsOf(state).values())
      yield {
        id,
        title: name,
        subtitle: joinParts(['Estación meteorológica', provinceName(province_code)]),
        codes: [id, synop_code],
        exact: [id],
        position,
        province_code,
        municipality_code,
        importance: 0.25,
      }
  },
})

export const weatherAlertCollection = defineCollection({
  id: 'weather-alerts',
  title: 'Weather warnings',
  about: 'Official weather warnings, by phenomenon, level, zone and province.',
  words: 'aviso meteorologico, avisos meteorologicos, alerta meteorologica, alertas, avisos aemet, weather warning, weather alert',
  weights: { title: 2, text: 1.5 },
  from: [weatherAlerts],
  detail: '/api/weather/alerts/{id}',
  documents: ([state]) =>
    state.rows.map(({ alert_id, event, level, zones, province_codes }) => {
      const names = (zones as unknown as readonly { readonly name: string }[]).map(({ name }) => name)
      const [only, ...others] = province_codes
      return {
        id: alert_id,
        title: [event, ...names].join(', '),
        subtitle: province_codes.map((code) => provinceByCode(code)?.name ?? code).join(', ') || null,
        province_code: others.length === 0 ? (only ?? null) : null,
        importance: level === 'RED' ? 0.6 : level === 'ORANGE' ? 0.5 : 0.3,
      }
    }),
})
