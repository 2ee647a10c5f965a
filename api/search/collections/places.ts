import { fuelStations } from '../../../lake/datasets/fuel/stations.ts'
import { mobilityZones } from '../../../lake/datasets/mobility/zones.ts'
import { loadAtlas } from '../../../lake/places/atlas.ts'
import { allMunicipalities } from '../../../lake/places/municipalities.ts'
import { provinceByCode, provinces } from '../../../lake/places/provinces.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { defineCollection } from '../collection.ts'
import { municipalityNames } from '../documents.ts'

/** INE codes of the capitals of the provinces, in the order of the provinces. */
const CAPITALS: ReadonlySet<string> = new Set(
  '01059 02003 03014 04013 05019 06015 07040 08019 09059 10037 11012 12040 13034 14021 15030 16078 17079 18087 19130 20069 21041 22125 23050 24089 25120 26089 27028 28079 29067 30030 31201 32054 33044 34120 35016 36038 37274 38038 39075 40194 41091 42173 43148 44216 45168 46250 47186 48020 49275 50297 51001 52001'.split(
    ' ',
  ),
)
/** Inhabitants of the largest city, about: the others are measured by it. */
const MOST_PEOPLE = 3_300_000
/** A place with fewer filling stations is a village. */
const FEW_STATIONS = 3
/** Filling stations of the largest city, about. */
const MOST_STATIONS = 250

interface Bounds {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

const middle = ({ west, south, east, north }: Bounds): Point => ({
  lat: Math.round(1e5 * (south + north)) / 2e5,
  lon: Math.round(1e5 * (west + east)) / 2e5,
})

/** A share of the most, by orders of magnitude. */
const share = (count: number, most: number): number => Math.min(1, Math.log(1 + count) / Math.log(1 + most))

export const provinceCollection = defineCollection({
  id: 'provinces',
  title: 'Provinces',
  about: 'The 50 provinces and two autonomous cities, by their names in every official language.',
  words: ['provincia', 'provincias', 'probintzia', 'province'],
  weights: { title: 4.6, names: 4.6, place: 0 },
  detail: '/api/incidents?province={id}',
  documents: () => {
    const areas = new Map(loadAtlas().provinces.map((area) => [area.code, area]))
    return provinces.map(({ code, name, names }) => {
      const area = areas.get(code)
      return {
        id: code,
        title: name,
        subtitle: 'Provincia',
        names: [...name.split('/'), ...Object.values(names)],
        codes: [code],
        position: area ? middle(area) : null,
        province_code: code,
        importance: 0.8,
      }
    })
  },
})

export const municipalityCollection = defineCollection({
  id: 'municipalities',
  title: 'Municipalities',
  about: 'Every municipality, by its names in every official language, former names included.',
  words: ['municipio', 'municipios', 'pueblo', 'ciudad', 'ayuntamiento', 'municipi', 'concello', 'udalerria', 'town', 'city'],
  weights: { title: 5, names: 5, place: 0.5 },
  from: [fuelStations, mobilityZones],
  detail: '/api/gas-stations?municipality={id}',
  documents: function* ([stations, zones]) {
    const areas = new Map(loadAtlas().municipalities.map((area) => [area.code, area]))
    const people = new Map(zones.rows.flatMap((row) => (row.zone_level === 'MUNICIPALITY' ? [[row.zone_id, row.population]] : [])))
    const sold = Map.groupBy(stations.rows, ({ municipality_code }) => municipality_code)
    for (const { code, name } of allMunicipalities()) {
      const area = areas.get(code)
      const inhabitants = people.get(code) ?? null
      const stations = sold.get(code)?.length ?? 0
      const byStations = stations < FEW_STATIONS ? 0 : 0.3 + 0.7 * share(stations, MOST_STATIONS)
      const size = inhabitants === null ? byStations : share(inhabitants, MOST_PEOPLE)
      yield {
        id: code,
        title: name,
        subtitle: provinceByCode(code.slice(0, 2))?.name ?? null,
        names: municipalityNames(code),
        codes: [code],
        position: area ? middle(area) : null,
        province_code: code.slice(0, 2),
        importance: CAPITALS.has(code) ? 0.9 + 0.1 * size : 0.15 + 0.8 * size,
      }
    }
  },
})
