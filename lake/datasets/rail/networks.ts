import type { Source } from '../../schema/sources.ts'
import { nap } from '../maritime/sources.ts'
import { RENFE_NETWORKS } from './codes.ts'
import { crtm, fgc, fgv, renfe } from './sources.ts'

/** What is known of a network, beside its timetable. */
export interface RailNetworkFacts {
  /** Feed of its timetable, and its source. */
  readonly feed: string
  readonly source: Source
  /** Code of its operator in `RAIL_OPERATORS`. */
  readonly operator: string
  /** Operators of lines that another company runs. */
  readonly operatorOfLine?: Readonly<Record<string, string>>
}

/** The networks in the order in which replies list them. */
export const NETWORKS: Readonly<Record<string, RailNetworkFacts>> = Object.freeze({
  CERCANIAS: { feed: 'renfe_gtfs_cercanias', source: renfe, operator: 'RENFE' },
  AVLDMD: { feed: 'renfe_gtfs_avldmd', source: renfe, operator: 'RENFE' },
  FGC: { feed: 'fgc_gtfs', source: fgc, operator: 'FGC' },
  METRO_MADRID: { feed: 'metro_madrid_gtfs', source: crtm, operator: 'METRO_MADRID' },
  METRO_LIGERO: {
    feed: 'metro_ligero_gtfs',
    source: crtm,
    operator: 'METRO_LIGERO_OESTE',
    operatorOfLine: { ML1: 'METRO_LIGERO_MADRID', ML4: 'TRANVIA_PARLA' },
  },
  METRO_MALAGA: { feed: 'metro_malaga_gtfs', source: nap, operator: 'METRO_MALAGA' },
  METROVALENCIA: { feed: 'metrovalencia_gtfs', source: fgv, operator: 'FGV' },
  TRAM_ALICANTE: { feed: 'tram_alicante_gtfs', source: fgv, operator: 'FGV' },
  SFM: { feed: 'mallorca_gtfs', source: nap, operator: 'SFM' },
})

/** The operator of a line of a network. */
export function operatorOf(network: string, line: string | null): string {
  const facts = NETWORKS[network] as RailNetworkFacts
  return (line === null ? undefined : facts.operatorOfLine?.[line]) ?? facts.operator
}

/** The first part of the names of a network's timetable versions. */
export function versionPrefix(network: string): string {
  return network.toLowerCase().replaceAll('_', '-')
}

/**
 * The network in the id of a station or route; null for Renfe's, which have none. The ids of other networks begin with the
 * network and a colon, because publishers number from 1.
 */
export function networkInId(id: string): string | null {
  const at = id.indexOf(':')
  const network = at === -1 ? '' : id.slice(0, at)
  return Object.hasOwn(NETWORKS, network) && !RENFE_NETWORKS.includes(network) ? network : null
}

/** The id of a station or route of a network other than Renfe's. */
export function networkId(network: string, id: string): string {
  return `${network}:${id}`
}
