import { airQualityStations } from '../../../../lake/datasets/air/air-quality.ts'
import { provinceName } from '../../common-fields.ts'
import { defineCollection, joinParts } from '../collection.ts'

export const airStationCollection = defineCollection({
  id: 'air-stations',
  title: 'Air quality stations',
  about: 'Active air quality stations, by name and code.',
  words:
    'aire, calidad del aire, estacion de calidad del aire, contaminacion, contaminantes, ozono, no2, pm10, ' +
    'particulas, ica, air quality, air quality station, pollution',
  weights: { title: 2.5 },
  from: [airQualityStations],
  detail: '/api/calidad-aire/estaciones/{id}',
  documents: ([state]) =>
    state.rows.flatMap(({ station_id, name, is_active, position, province_code, municipality_code }) =>
      is_active
        ? [
            {
              id: station_id,
              title: name,
              subtitle: joinParts(['Estación de calidad del aire', provinceName(province_code)]),
              codes: [station_id],
              position,
              province_code,
              municipality_code,
              importance: 0.25,
            },
          ]
        : [],
    ),
})
