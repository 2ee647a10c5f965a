import { FGC_LINES } from './fgc-lines.ts'

/** A line of a network; all lines meet in its centre. */
export interface MetroLine {
  readonly name: string
  readonly longName: string
  /** GTFS route type. */
  readonly type: number
  readonly stations: number
  /** Ids and positions of its stations; by default they lie along a ray from the network's centre. */
  readonly places?: readonly { readonly id: string; readonly lat: number; readonly lon: number }[]
  /** Seconds between departures. */
  readonly headway_s: number
}

/** How a publisher writes its GTFS. */
interface Dialect {
  readonly bom?: true
  readonly newline?: '\r\n'
  /** Where the days are: weekdays with ranges, a list of dates only, or ranges whose weekdays are all zero beside the list. */
  readonly days: 'WEEKDAYS' | 'DATES' | 'ZERO'
  /** Years that ranges reach ahead. */
  readonly years: number
  /** Trips are given once, with frequencies. */
  readonly hasFrequencies?: true
  /** The ids of a place's platform and its parent station, where trips stop at platforms. */
  readonly platformOf?: (id: string) => { readonly platform: string; readonly station: string }
  /** Each direction is a route of its own. */
  readonly isRoutePerDirection?: true
  readonly hasBuses?: true
}

/** A network of metros, trams or trains with its own publisher. */
export interface MetroNetwork extends Dialect {
  readonly agency: string
  readonly url: string
  readonly lat: number
  readonly lon: number
  readonly lines: readonly MetroLine[]
}

/** Lines as `name type stations headway_min`, separated by bars. */
function linesOf(rows: string): readonly MetroLine[] {
  return rows.split('|').map((row) => {
    const [name = '', type, stations, minutes] = row.trim().split(' ')
    return { name, longName: `Línea ${name}`, type: Number(type), stations: Number(stations), headway_s: 60 * Number(minutes) }
  })
}

// Names of networks and kinds of lines are facts; stations, numbers and times are invented.
export const METRO_NETWORKS: Readonly<Record<string, MetroNetwork>> = {
  fgc_gtfs: {
    ...{ agency: 'FGC', url: 'https://www.fgc.cat', lat: 41.3857, lon: 2.1699, days: 'DATES', years: 0 },
    platformOf: (id) => ({ platform: `${id}1`, station: id }),
    lines: [
      ...FGC_LINES.map(({ name, type, stations, headway_min }) => ({
        ...{ name, longName: `Línia ${name}`, type, stations: stations.length, headway_s: 60 * headway_min },
        places: stations.map(({ code, lat, lon }) => ({ id: code, lat, lon })),
      })),
      ...linesOf('FV 7 3 12'),
    ],
  },
  metro_madrid_gtfs: {
    ...{ agency: 'CRTM', url: 'https://www.crtm.es', lat: 40.4169, lon: -3.7035, days: 'WEEKDAYS', years: 1, bom: true, newline: '\r\n' },
    ...{ hasFrequencies: true, platformOf: (id) => ({ platform: `par_${id}`, station: `est_${id}` }) },
    lines: linesOf(
      '1 1 33 8 | 2 1 20 10 | 3 1 18 8 | 4 1 23 10 | 5 1 32 10 | 6 1 28 8 | 7 1 31 10 | 8 1 8 12 | 9 1 29 10 | 10 1 31 8 | R 1 2 14',
    ),
  },
  metro_ligero_gtfs: {
    ...{ agency: 'CRTM', url: 'https://www.crtm.es', lat: 40.4737, lon: -3.6826, days: 'WEEKDAYS', years: 1, bom: true, newline: '\r\n' },
    lines: linesOf('ML1 0 9 8 | ML2 0 13 10 | ML3 0 16 10 | ML4 0 15 8'),
  },
  metro_malaga_gtfs: {
    ...{ agency: 'METRO_MALAGA', url: 'https://metromalaga.es', lat: 36.7164, lon: -4.4259, days: 'DATES', years: 0 },
    lines: linesOf('L1 1 13 7 | L2 1 8 7'),
  },
  metrovalencia_gtfs: {
    ...{ agency: '1', url: 'http://www.metrovalencia.es', lat: 39.4667, lon: -0.3774, days: 'ZERO', years: 0, isRoutePerDirection: true },
    lines: linesOf('1 1 40 20 | 2 1 33 20 | 3 1 27 10 | 4 0 33 10 | 5 1 18 12 | 6 0 21 15 | 9 1 23 20 | 10 0 8 10'),
  },
  tram_alicante_gtfs: {
    ...{ agency: '2', url: 'http://www.tramalacant.es', lat: 38.3452, lon: -0.481, days: 'ZERO', years: 0, isRoutePerDirection: true },
    lines: linesOf('1 0 15 30 | 2 0 14 15 | 3 0 12 15 | 4 0 17 15 | 5 0 14 30 | 9 2 14 60'),
  },
  mallorca_gtfs: {
    ...{ agency: '55', url: 'http://www.tib.org', lat: 39.5763, lon: 2.6541, days: 'WEEKDAYS', years: 10, hasBuses: true },
    lines: linesOf('T1 2 10 30 | T2 2 14 60 | T3 2 13 60 | M1 1 9 15'),
  },
}
