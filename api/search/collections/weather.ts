import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import { stationsOf } from '../../endpoints/weather/station.ts'
import { defineCollection } from '../collection.ts'

export const weatherStationCollection = defineCollection({
  id: 'weather-stations',
  title: 'Weather stations',
  about: 'Weather stations, by name and code.',
  words: [
    'estacion meteorologica',
    'estaciones meteorologicas',
    'meteo',
    'clima',
    'tiempo',
    'aemet',
    'temperatura',
    'weather',
    'weather station',
  ],
  weights: { title: 2.5 },
  from: [weatherStations],
  detail: '/api/clima/estaciones/{id}',
  documents: function* ([state]) {
    for (const { id, name, synop_code, position, province_code, municipality_code } of stationsOf(state).values())
      yield {
        id,
        title: name,
        subtitle: ['Estación meteorológica', province_code && provinceByCode(province_code)?.name].filter((part) => part).join(', '),
        codes: [id, synop_code],
        position,
        province_code,
        municipality_code,
        importance: 0.25,
      }
  },
})
