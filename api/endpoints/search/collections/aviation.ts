import { airports } from '../../../../lake/datasets/aviation/airports.ts'
import { airportNames } from '../../../../lake/places/airport-names.ts'
import { defineCollection, joinParts, townOf } from '../collection.ts'

/** Importance of an airport by its kind; other kinds rank lower. */
const IMPORTANCE: Readonly<Record<string, number>> = { LARGE_AIRPORT: 0.9, MEDIUM_AIRPORT: 0.7 }
const LESSER = 0.35

/** The names of an airport besides its title: as published, in co-official languages, and short ones. */
function otherNames(iata: string, published: string): string[] {
  const { ca, eu, gl, also = [] } = airportNames(iata) ?? {}
  return [published, ca, eu, gl, ...also].filter((name) => name !== undefined)
}

export const airportCollection = defineCollection({
  id: 'airports',
  title: 'Airports',
  about: 'Airports, by name, town, other names and the codes of IATA and ICAO.',
  words: 'aeropuerto, aeropuertos, airport, vuelo, vuelos, aena, flights',
  weights: { title: 4, names: 4.5, place: 2.5 },
  from: [airports],
  detail: '/api/aviacion/aeropuertos/{iata}',
  documents: ([state]) =>
    state.rows.map(({ iata, icao, name, type, municipality, municipality_code, keywords, position, province_code }) => ({
      id: iata,
      title: airportNames(iata)?.es ?? name,
      subtitle: joinParts(['Aeropuerto', municipality ?? townOf(municipality_code)]),
      names: [...otherNames(iata, name), ...(keywords?.split(',').map((one) => one.trim()) ?? [])],
      codes: [iata, icao],
      exact: [iata, icao],
      position,
      province_code,
      municipality_code,
      importance: IMPORTANCE[type ?? ''] ?? LESSER,
    })),
})
