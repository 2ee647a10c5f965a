import { MADRID } from '../schema/time.ts'
import { CANARIES, zoneOf } from './clocks.ts'

/** ICAO codes of the Spanish airports with scheduled or regular air services, by IATA code. */
export const SPANISH_AIRPORTS: Readonly<Record<string, string>> = Object.freeze({
  ...{ ABC: 'LEAB', ACE: 'GCRR', AEI: 'LEAG', AGP: 'LEMG', ALC: 'LEAL', BCN: 'LEBL', BIO: 'LEBB', BJZ: 'LEBZ', CDT: 'LECH', CQM: 'LERL' },
  ...{ EAS: 'LESO', FUE: 'GCFV', GMZ: 'GCGM', GRO: 'LEGE', GRX: 'LEGR', HSK: 'LEHC', IBZ: 'LEIB', ILD: 'LEDA', JCU: 'GECE', LCG: 'LECO' },
  ...{ LEI: 'LEAM', LEN: 'LELN', LEU: 'LESU', LPA: 'GCLP', MAD: 'LEMD', MAH: 'LEMH', MLN: 'GEML', ODB: 'LEBA', OVD: 'LEAS', PMI: 'LEPA' },
  ...{ PNA: 'LEPP', REU: 'LERS', RGS: 'LEBG', RJL: 'LERJ', RMU: 'LEMI', SCQ: 'LEST', SDR: 'LEXJ', SLM: 'LESA', SPC: 'GCLA', SVQ: 'LEZL' },
  ...{ TEV: 'LETL', TFN: 'GCXO', TFS: 'GCTS', VDE: 'GCHI', VGO: 'LEVX', VIT: 'LEVT', VLC: 'LEVC', VLL: 'LEVD', XRY: 'LEJR', ZAZ: 'LEZG' },
})

/** EUROCONTROL lists Palma's civil airport under the code of the air base on the same runways. */
const SHARED_RUNWAYS: Readonly<Record<string, string>> = { LESJ: 'PMI' }

const BY_ICAO: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SPANISH_AIRPORTS).map(([iata, icao]) => [icao, iata] as const),
  ...Object.entries(SHARED_RUNWAYS),
])

/** The IATA code of a Spanish airport by its ICAO code; null for any other airport. */
export function iataOfIcao(icao: string): string | null {
  return BY_ICAO.get(icao) ?? null
}

/** The time zone of a Spanish airport, by its IATA code. */
export function zoneOfAirport(iata: string): string {
  return SPANISH_AIRPORTS[iata]?.startsWith('GC') ? zoneOf(CANARIES[0] as string) : MADRID
}
