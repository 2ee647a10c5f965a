/** A terminal with its operator's name. */
export interface Terminal {
  readonly id: string
  readonly name: string
  readonly lat: number
  readonly lon: number
}

/** A line: its terminals in one direction; return sailings use the reverse order. */
export interface FerryLine {
  readonly id: string
  readonly calls: readonly Terminal[]
  /** Minutes at sea between consecutive calls. */
  readonly minutes: readonly number[]
  /**
   * Sailings per week in each direction, in winter (November to March), between the seasons, and in summer (June to September).
   */
  readonly perWeek: Readonly<Record<Season, number>>
  /** Hours of the first and the last departure; if there is less than one a day, the last. */
  readonly hours: readonly [first: number, last: number]
  readonly type: number
}

/** Parts of the year with different timetables. */
export type Season = 'WINTER' | 'MID' | 'SUMMER'

/** An operator and its whole timetable. */
export interface FerryOperator {
  readonly agency: string
  readonly url: string
  readonly zone: string
  readonly lines: readonly FerryLine[]
  /** Seconds between departures of a shuttle without a timetable by day. */
  readonly headway_s: number | null
  /** The terminals of a bus to a port, which a ferry's GTFS may contain. */
  readonly bus: readonly [Terminal, Terminal] | null
}

// Names and positions of ports and the connected pairs are facts; times and numbers of sailings are invented.
const TERMINAL_ROWS: readonly (readonly [string, string, number, number])[] = [
  ['DEN', 'Dénia', 38.8417, 0.1166],
  ['VLC', 'Valencia', 39.4497, -0.3206],
  ['BCN', 'Barcelona', 41.3706, 2.1806],
  ['IBZ', 'Ibiza (Botafoc)', 38.9085, 1.4497],
  ['FOR', 'Formentera (La Savina)', 38.7338, 1.4179],
  ['PMI', 'Palma de Mallorca', 39.5537, 2.6285],
  ['ALD', 'Alcúdia', 39.8351, 3.1392],
  ['CIU', 'Ciutadella (Son Blanc)', 39.9838, 3.8291],
  ['MAH', 'Maó', 39.8896, 4.2713],
  ['ALG', 'Algeciras', 36.1285, -5.4409],
  ['CEU', 'Ceuta', 35.8938, -5.3091],
  ['TNM', 'Tánger Med', 35.8846, -5.5015],
  ['TRF', 'Tarifa', 36.0094, -5.6045],
  ['TNG', 'Tánger Ville', 35.7896, -5.8041],
  ['LEI', 'Almería', 36.8337, -2.4719],
  ['AGP', 'Málaga', 36.7155, -4.4181],
  ['MOT', 'Motril', 36.7225, -3.5247],
  ['MLN', 'Melilla', 35.2921, -2.9342],
  ['NDR', 'Nador', 35.2789, -2.9249],
  ['HUV', 'Huelva (Muelle Sur)', 37.1986, -6.9297],
  ['LPA', 'Las Palmas de Gran Canaria', 28.1462, -15.4205],
  ['AGT', 'Agaete (Las Nieves)', 28.1007, -15.7103],
  ['SCT', 'Santa Cruz de Tenerife', 28.4735, -16.2421],
  ['LCR', 'Los Cristianos', 28.0481, -16.7166],
  ['SSG', 'San Sebastián de La Gomera', 28.0869, -17.1086],
  ['SPC', 'Santa Cruz de La Palma', 28.6767, -17.7661],
  ['HIE', 'Puerto de La Estaca', 27.7829, -17.9016],
  ['ACE', 'Arrecife', 28.9676, -13.5292],
  ['PBL', 'Playa Blanca', 28.8599, -13.8312],
  ['COR', 'Corralejo', 28.7417, -13.8627],
  ['MJB', 'Morro Jable', 28.0497, -14.3571],
  ['FUE', 'Puerto del Rosario', 28.4946, -13.8573],
  ['POR', 'Portugalete', 43.3229, -3.0178],
  ['ARE', 'Las Arenas', 43.3236, -3.016],
]

const TERMINALS: ReadonlyMap<string, Terminal> = new Map(TERMINAL_ROWS.map(([id, name, lat, lon]) => [id, { id, name, lat, lon }]))

type LineRow = readonly [calls: string, minutes: string, perWeek: string, hours: readonly [number, number], type?: number]

function linesOf(rows: readonly LineRow[]): readonly FerryLine[] {
  return rows.map(([calls, minutes, perWeek, hours, type = 4]) => {
    const [WINTER = 0, MID = 0, SUMMER = 0] = perWeek.split('/').map(Number)
    return {
      id: calls.replaceAll(' ', '-'),
      calls: calls.split(' ').map((id) => TERMINALS.get(id) as Terminal),
      minutes: minutes.split(' ').map(Number),
      perWeek: { WINTER, MID, SUMMER },
      hours,
      type,
    }
  })
}

/** Operators by the feed of their timetable. */
export const FERRY_OPERATORS: Readonly<Record<string, FerryOperator>> = {
  ferries_balearia: {
    agency: 'Baleària Eurolíneas Marítimas',
    url: 'https://www.balearia.com',
    zone: 'Europe/Madrid',
    headway_s: null,
    bus: null,
    lines: linesOf([
      ['DEN IBZ', '135', '10/14/28', [8, 20.5]],
      ['DEN IBZ PMI', '150 150', '7/7/7', [17, 17]],
      ['DEN FOR', '120', '0/4/14', [8.5, 18]],
      ['VLC IBZ', '330', '4/6/7', [10.5, 22.5]],
      ['VLC PMI', '480', '6/7/7', [22, 22.5]],
      ['BCN IBZ', '510', '5/7/10', [10, 22.5]],
      ['BCN PMI', '450', '7/7/12', [11, 23]],
      ['BCN ALD CIU', '390 110', '5/6/7', [22.5, 22.5]],
      ['BCN MAH', '540', '3/4/7', [21, 22]],
      ['ALD CIU', '75', '14/18/28', [8, 20]],
      ['PMI MAH', '330', '2/2/3', [8, 22]],
      ['PMI IBZ', '150', '7/9/14', [8, 19]],
      ['IBZ FOR', '35', '56/98/182', [6.75, 21.5], 1014],
      ['ALG CEU', '60', '49/56/77', [6, 22]],
      ['ALG TNM', '90', '42/42/63', [0.5, 23]],
      ['TRF TNG', '60', '42/42/56', [8, 22]],
      ['LEI NDR', '360', '5/6/14', [15, 23.5]],
      ['LEI MLN', '420', '3/3/5', [15, 23.5]],
      ['AGP MLN', '420', '6/6/7', [14, 23.5]],
      ['MOT MLN', '300', '4/4/6', [13, 23.75]],
      ['HUV LPA SCT', '1740 240', '2/2/2', [8, 14]],
    ]),
  },
  ferries_fred_olsen: {
    agency: 'Fred. Olsen Express',
    url: 'https://www.fredolsen.es',
    zone: 'Atlantic/Canary',
    headway_s: null,
    bus: [TERMINALS.get('LPA') as Terminal, TERMINALS.get('AGT') as Terminal],
    lines: linesOf([
      ['SCT AGT', '80', '42/42/49', [6.5, 20], 1013],
      ['LCR SSG', '50', '28/28/35', [7.5, 20], 1013],
      ['LCR SPC', '150', '7/7/9', [19, 19.5], 1013],
      ['LCR HIE', '150', '6/6/7', [8, 16], 1013],
      ['SSG SPC', '120', '3/3/5', [19, 21], 1013],
      ['LPA MJB', '120', '14/14/20', [7, 18], 1013],
      ['LPA ACE', '390', '3/3/4', [22, 23.5], 1013],
      ['PBL COR', '25', '49/49/63', [7, 20], 1013],
      ['LPA FUE', '360', '3/3/4', [22, 23.5], 1013],
    ]),
  },
  ferries_vizcaya_bridge: {
    agency: 'El Transbordador de Vizcaya',
    url: 'https://puente-colgante.com',
    zone: 'Europe/Madrid',
    headway_s: 480,
    bus: null,
    lines: linesOf([['POR ARE', '2', '56/56/56', [22, 29], 1017]]),
  },
}
