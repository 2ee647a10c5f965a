import type { Scale } from './world.ts'

/** The parameters of a generated commuter network. */
export interface NucleoPlan {
  /** First two characters of its ids. */
  readonly code: string
  /** Municipality of its main station, with its province if the name is ambiguous. */
  readonly city: string
  readonly province: string
  /** Lines, in the publisher's spelling. */
  readonly lines: readonly string[]
  /** Trips a day, all lines and directions together. */
  readonly trips: number
  /** Length of a line's arm, km. */
  readonly reach_km: number
  /** True if buses replace trains on one line, without a shape. */
  readonly hasBuses?: boolean
  /** True for a network of the metre gauge. */
  readonly isMetreGauge?: boolean
  /** One of its first lines, on which works make trains run all night and late all day: so there is always a late train. */
  readonly lineOnWorks?: string
  /** One of its first lines, whose shape ends before the terminus. */
  readonly lineBeyondShape?: string
}

const c = (...numbers: readonly (number | string)[]): string[] => numbers.map((number) => `C${number}`)

const NUCLEOS: readonly NucleoPlan[] = [
  {
    code: '10',
    city: 'Madrid',
    province: '28',
    lines: c(1, 2, 3, '3a', '4a', '4b', 5, 7, 8, 10),
    trips: 1245,
    reach_km: 45,
  },
  { code: '20', city: 'Oviedo', province: '33', lines: c(1, 2, 3, 4, 5, 6, 7, 8), trips: 416, reach_km: 40 },
  { code: '30', city: 'Sevilla', province: '41', lines: c(1, 2, 3, 4, 5), trips: 145, reach_km: 60 },
  { code: '31', city: 'Jerez de la Frontera', province: '11', lines: c(1, '1a'), trips: 115, reach_km: 30 },
  { code: '32', city: 'Málaga', province: '29', lines: c(1, 2), trips: 130, reach_km: 30 },
  { code: '40', city: 'València', province: '46', lines: c(1, 2, 3, 4, 5, 6), trips: 313, reach_km: 60 },
  { code: '41', city: 'Murcia', province: '30', lines: c(1, 2, 3), trips: 97, reach_km: 55 },
  { code: '45', city: 'Cartagena', province: '30', lines: c(9), trips: 38, reach_km: 18, isMetreGauge: true },
  { code: '46', city: 'Ferrol', province: '15', lines: c(1), trips: 28, reach_km: 40, isMetreGauge: true },
  { code: '47', city: 'León', province: '24', lines: c(1), trips: 53, reach_km: 45, hasBuses: true, isMetreGauge: true },
  {
    code: '51',
    city: 'Barcelona',
    province: '08',
    lines: ['R1', 'R2', 'R2N', 'R2S', 'R3', 'R4', 'R7', 'R8', 'RG1', 'RT1', 'RT2', 'R11', 'R13', 'R14', 'R15', 'R16', 'RL3'],
    trips: 1340,
    reach_km: 60,
    lineOnWorks: 'R1',
  },
  {
    code: '60',
    city: 'Bilbao',
    province: '48',
    lines: ['C1', 'C2', 'C3', 'C4', 'C4A', 'C1f'],
    trips: 335,
    reach_km: 30,
    lineBeyondShape: 'C3',
  },
  { code: '61', city: 'Donostia/San Sebastián', province: '20', lines: c(1), trips: 91, reach_km: 30 },
  { code: '62', city: 'Santander', province: '39', lines: c(1, 2, 3), trips: 205, reach_km: 40 },
  { code: '70', city: 'Zaragoza', province: '50', lines: c(1), trips: 73, reach_km: 25 },
]

/** The size of the railway. */
export interface RailPlan {
  readonly nucleos: readonly NucleoPlan[]
  /** Stops of a commuter line, both ends included; and unused routes of each line. */
  readonly stopsOfLine: readonly [least: number, most: number]
  readonly unusedRoutes: number
  /** Approximate number of points of a line's shape. */
  readonly shapePoints: number
  /** Long-distance trains, and their lines. */
  readonly trains: number
  readonly relations: number
}

const FULL: RailPlan = { nucleos: NUCLEOS, stopsOfLine: [9, 23], unusedRoutes: 8, shapePoints: 920, trains: 811, relations: 353 }

const SMALL: RailPlan = {
  nucleos: NUCLEOS.filter(({ code }) => ['10', '20', '40', '51', '60'].includes(code)).map((plan) => ({
    ...plan,
    lines: plan.lines.slice(0, 3),
    // The network that the fault drops by default needs several trains at once, so that its absence shows.
    trips: plan.code === '20' ? 96 : 24,
  })),
  stopsOfLine: [9, 14],
  unusedRoutes: 2,
  shapePoints: 40,
  trains: 60,
  relations: 30,
}

/** The plan of each scale. */
export const RAIL_PLANS: Readonly<Record<Scale, RailPlan>> = { full: FULL, small: SMALL }

/** Cities with long-distance trains; the main stations of commuter networks serve them too. */
export const CITIES: readonly (readonly [name: string, province: string])[] = `
Madrid 28, Barcelona 08, València 46, Sevilla 41, Zaragoza 50, Málaga 29, Murcia 30, Valladolid 47, Córdoba 14,
Granada 18, A Coruña 15, Vigo 36, Oviedo 33, Santander 39, Bilbao 48, Donostia/San Sebastián 20, Pamplona/Iruña 31,
Logroño 26, Burgos 09, León 24, Salamanca 37, Badajoz 06, Cáceres 10, Huelva 21, Cádiz 11, Almería 04, Albacete 02,
Cuenca 16, Teruel 44, Lleida 25, Tarragona 43, Girona 17, Soria 42, Ourense 32, Lugo 27, Zamora 49
`
  .replaceAll('\n', ' ')
  .split(',')
  .map((city) => city.trim())
  .map((city) => [city.slice(0, -3), city.slice(-2)])
