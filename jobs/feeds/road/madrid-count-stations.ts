import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficCountStations } from '../../../lake/datasets/road/traffic-count-stations.ts'
import { csvFeed } from '../kit/formats.ts'
import { MADRID_PLACE } from './madrid-places.ts'

/** Madrid's list of permanent count stations: two rows each, one per direction. */
export const madridCountStations = csvFeed({
  id: 'madrid_count_stations',
  source: madrid,
  into: trafficCountStations,
  every_s: 7 * 86_400,
  get: { url: 'https://datos.madrid.es/egob/catalogo/300233-70-aforo-trafico-permanentes.csv', maxBytes: 2_000_000 },
  freshBy: 'fetch',
  band: { atLeast: 20 },
  columns: { number: 'Estación', name: 'Nombre', latitude: 'Latitud', longitude: 'Longitud', sense: 'Sentido', heading: 'Orient.' },
  needs: ['number', 'name', 'latitude', 'longitude', 'sense'],
  // Decimal commas, but at one station decimal points.
  decimal: 'either',
  file: () => ({ seen: new Map<number, number>() }),
  row(r, { seen }) {
    const number = r.integer('number')
    const place = (seen.get(number) ?? 0) + 1
    seen.set(number, place)
    const sense = r.cell('sense')
    return {
      source: MADRID_PLACE.source,
      // Counts name station 1 ES01.
      station_id: `ES${String(number).padStart(2, '0')}`,
      // The missing direction of a one-way street has no number, only its place.
      direction: sense ?? String(place),
      name: r.text('name'),
      heading: r.text('heading'),
      is_counted: sense !== null,
      position: r.position('latitude', 'longitude'),
      municipality_code: MADRID_PLACE.municipality_code,
    }
  },
})
