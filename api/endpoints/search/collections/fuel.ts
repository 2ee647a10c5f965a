import { reliablePosition } from '../../../../lake/datasets/fuel/codes.ts'
import { fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import { defineCollection, joinParts, townOf } from '../collection.ts'

export const gasStationCollection = defineCollection({
  id: 'gas-stations',
  title: 'Filling stations',
  about: 'Filling stations, by brand, town and address.',
  words:
    'gasolinera, gasolineras, estacion de servicio, estaciones de servicio, eess, surtidor, gasolina, gasoil, ' +
    'gasoleo, diesel, benzinera, benzineres, gasolindegia, petrol station, gas station, filling station, fuel, petrol',
  weights: { title: 3.5, place: 2.5 },
  from: [fuelStations],
  detail: '/api/gas-stations/{id}',
  documents: function* ([state]) {
    for (const row of state.rows) {
      const { station_id: id, brand, municipality_code, province_code } = row
      const town = townOf(municipality_code) ?? row.municipality
      yield {
        id,
        title: joinParts([brand?.trim(), town]) || id,
        subtitle: joinParts([row.address, row.postal_code, row.locality]) || null,
        codes: [id],
        text: [row.road],
        position: reliablePosition(row),
        province_code,
        municipality_code,
        importance: 0.3,
      }
    }
  },
})
