import { fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import { mobilityZones } from '../../../../lake/datasets/mobility/zones.ts'
import { loadAtlas } from '../../../../lake/places/atlas.ts'
import { CAPITALS } from '../../../../lake/places/capitals.ts'
import { communityNames } from '../../../../lake/places/communities.ts'
import { allIslands } from '../../../../lake/places/islands.ts'
import { allMunicipalities } from '../../../../lake/places/municipalities.ts'
import { municipalityNames } from '../../../../lake/places/municipality-names.ts'
import { provinceByCode, provinces } from '../../../../lake/places/provinces.ts'
import type { Point } from '../../../../lake/schema/columns.ts'
import type { Box } from '../../../kernel/reads/geo.ts'
import { inhabitants } from '../../road/places.ts'
import { defineCollection } from '../collection.ts'

/** Approximate population of the largest city, the reference for others. */
const MOST_PEOPLE = 3_300_000
/** A place with fewer filling stations is a village. */
const FEW_STATIONS = 3
/** Approximate number of filling stations in the largest city. */
const MOST_STATIONS = 250

/** Postal codes after the province's digits are the capital's from 001 to 099 (Correos). */
const CAPITAL_CODES = Array.from({ length: 99 }, (_, at) => `0${String(at + 1).padStart(2, '0')}`)

/** The known postal codes of a municipality: those of its filling stations, and all of a capital. */
function postalCodes(code: string, stations: readonly { readonly postal_code: string | null }[]): string[] {
  const sold = stations.flatMap(({ postal_code }) => (postal_code?.startsWith(code.slice(0, 2)) ? [postal_code] : []))
  return [...new Set([...sold, ...(CAPITALS.has(code) ? CAPITAL_CODES.map((own) => code.slice(0, 2) + own) : [])])]
}

const middle = ({ west, south, east, north }: Omit<Box, 'kind'>): Point => ({
  lat: Math.round(1e5 * (south + north)) / 2e5,
  lon: Math.round(1e5 * (west + east)) / 2e5,
})

/** A share of the maximum, on a logarithmic scale. */
const share = (count: number, most: number): number => Math.min(1, Math.log(1 + count) / Math.log(1 + most))

export const provinceCollection = defineCollection({
  id: 'provinces',
  title: 'Provinces and islands',
  about:
    'The 50 provinces and two autonomous cities, by their names in every official language and those of their autonomous communities, and the islands, whose hits show their municipalities.',
  words: 'provincia, provincias, probintzia, province, isla, islas, illa, illes, island',
  weights: { title: 4.6, names: 4.6, place: 0 },
  detail: '/api/geo/provincias/{code}',
  documents: () => {
    const areas = new Map(loadAtlas().provinces.map((area) => [area.code, area]))
    const islands = allIslands().map(({ code, name, names, box }) => ({
      ...{ id: code, title: name, subtitle: 'Isla', names, codes: [code], url: `/api/geo/municipios?province=${code}` },
      ...{ position: middle(box), province_code: code.slice(0, 2), importance: 0.8 },
    }))
    const own = provinces.map(({ code, name, names }) => {
      const area = areas.get(code)
      return {
        id: code,
        title: name,
        subtitle: 'Provincia',
        names: [...name.split('/'), ...Object.values(names), ...communityNames(code)],
        codes: [code],
        position: area ? middle(area) : null,
        province_code: code,
        importance: 0.8,
      }
    })
    return [...own, ...islands]
  },
})

export const municipalityCollection = defineCollection({
  id: 'municipalities',
  title: 'Municipalities',
  about: 'Every municipality, by its names in every official language, including former names, its INE code and postal codes.',
  words: 'municipio, municipios, pueblo, ciudad, ayuntamiento, municipi, concello, udalerria, town, city',
  weights: { title: 5, names: 5, place: 0.5 },
  from: [fuelStations, mobilityZones],
  slices: { register: inhabitants },
  detail: '/api/geo/municipios/{code}',
  documents: function* ([stations, zones], { register }) {
    const areas = new Map(loadAtlas().municipalities.map((area) => [area.code, area]))
    const people = new Map(zones.rows.flatMap((row) => (row.zone_level === 'MUNICIPALITY' ? [[row.zone_id, row.population]] : [])))
    const sold = Map.groupBy(stations.rows, ({ municipality_code }) => municipality_code)
    for (const { code, name } of allMunicipalities()) {
      const area = areas.get(code)
      const own = register.people.get(code) ?? people.get(code) ?? null
      const stations = sold.get(code)?.length ?? 0
      const byStations = stations < FEW_STATIONS ? 0 : 0.3 + 0.7 * share(stations, MOST_STATIONS)
      const size = own === null ? byStations : share(own, MOST_PEOPLE)
      yield {
        id: code,
        title: name,
        subtitle: provinceByCode(code.slice(0, 2))?.name ?? null,
        names: municipalityNames(code),
        codes: [code],
        exact: [code, ...postalCodes(code, sold.get(code) ?? [])],
        isTown: true,
        position: area ? middle(area) : null,
        province_code: code.slice(0, 2),
        importance: CAPITALS.has(code) ? 0.9 + 0.1 * size : 0.15 + 0.8 * size,
      }
    }
  },
})
