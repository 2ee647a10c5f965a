import type { Point } from '../schema/columns.ts'

/** A port of the manually maintained list. */
export interface ListedPort {
  /** UN/LOCODE, or `ES-` and a name if unknown. */
  readonly id: string
  readonly name: string
  /** Port authority, only for ports of general interest. */
  readonly authority: string | null
  /** The harbour, accurate to about a kilometre. */
  readonly position: Point
  /** True for a port in the World Port Index. */
  readonly isIndexed: boolean
  /** Other names: in other languages, of the town, of the island. */
  readonly aliases: readonly string[]
}

type PortRow = readonly [id: string, name: string, authority: string | null, lat: number, lon: number, ...aliases: string[]]

const ROWS: readonly PortRow[] = [
  ['ESPAS', 'Pasaia', 'Pasaia', 43.324, -1.927, 'Pasajes'],
  ['ESBRM', 'Bermeo', null, 43.42, -2.717],
  ['ESBIO', 'Bilbao', 'Bilbao', 43.35, -3.06, 'Zierbena', 'Santurtzi'],
  ['ESSDR', 'Santander', 'Santander', 43.455, -3.8],
  ['ESGIJ', 'Gijón', 'Gijón', 43.55, -5.68, 'El Musel'],
  ['ESAVS', 'Avilés', 'Avilés', 43.584, -5.928],
  ['ESRIB', 'Ribadeo', null, 43.53, -7.035],
  ['ESSCI', 'San Cibrao', 'Ferrol-San Cibrao', 43.706, -7.464, 'San Ciprián'],
  ['ESFRO', 'Ferrol', 'Ferrol-San Cibrao', 43.48, -8.235],
  ['ESLCG', 'A Coruña', 'A Coruña', 43.363, -8.385, 'La Coruña'],
  ['ESVIL', 'Vilagarcía de Arousa', 'Vilagarcía', 42.598, -8.771],
  ['ESMPG', 'Marín', 'Marín y Ría de Pontevedra', 42.4, -8.697],
  ['ESVGO', 'Vigo', 'Vigo', 42.241, -8.722],
  ['ESHUV', 'Huelva', 'Huelva', 37.2, -6.93],
  ['ESSVQ', 'Sevilla', 'Sevilla', 37.362, -5.998],
  ['ESCAD', 'Cádiz', 'Bahía de Cádiz', 36.535, -6.286],
  ['ESROT', 'Rota', null, 36.617, -6.35],
  ['ES-TARIFA', 'Tarifa', 'Bahía de Algeciras', 36.01, -5.604],
  ['ESALG', 'Algeciras', 'Bahía de Algeciras', 36.13, -5.436],
  ['ESCEU', 'Ceuta', 'Ceuta', 35.894, -5.313],
  ['ESMLN', 'Melilla', 'Melilla', 35.288, -2.932],
  ['ESAGP', 'Málaga', 'Málaga', 36.712, -4.417],
  ['ESMOT', 'Motril', 'Motril', 36.72, -3.523],
  ['ESLEI', 'Almería', 'Almería', 36.831, -2.474],
  ['ESCRS', 'Carboneras', 'Almería', 36.988, -1.899],
  ['ESGAR', 'Garrucha', null, 37.179, -1.82],
  ['ESAGU', 'Águilas', null, 37.405, -1.575],
  ['ESCAR', 'Cartagena', 'Cartagena', 37.594, -0.983, 'Escombreras'],
  ['ESTOR', 'Torrevieja', null, 37.973, -0.688],
  ['ESALC', 'Alicante', 'Alicante', 38.337, -0.489, 'Alacant'],
  ['ES-DENIA', 'Dénia', null, 38.845, 0.113],
  ['ESGAN', 'Gandia', 'Valencia', 38.995, -0.151],
  ['ESVLC', 'Valencia', 'Valencia', 39.446, -0.322, 'València'],
  ['ESSAG', 'Sagunto', 'Valencia', 39.644, -0.211, 'Sagunt'],
  ['ESBRX', 'Burriana', null, 39.858, -0.069, 'Borriana'],
  ['ESGCS', 'Castellón', 'Castellón', 39.969, 0.018, 'Castelló', 'El Grao'],
  ['ESTAR', 'Tarragona', 'Tarragona', 41.1, 1.235],
  ['ESVLG', 'Vilanova i la Geltrú', null, 41.212, 1.732, 'Villanueva y Geltrú'],
  ['ESBCN', 'Barcelona', 'Barcelona', 41.354, 2.166],
  ['ESSFU', 'Sant Feliu de Guíxols', null, 41.777, 3.027],
  ['ESPAL', 'Palamós', null, 41.845, 3.124],
  ['ESROS', 'Roses', null, 42.254, 3.179, 'Rosas'],
  ['ESPMI', 'Palma', 'Illes Balears', 39.554, 2.63, 'Palma de Mallorca'],
  ['ESALD', 'Alcúdia', 'Illes Balears', 39.835, 3.139],
  ['ESIBZ', 'Ibiza', 'Illes Balears', 38.909, 1.446, 'Eivissa'],
  ['ES-FORMENTERA', 'La Savina', 'Illes Balears', 38.734, 1.418, 'Formentera', 'La Sabina'],
  ['ESMAH', 'Maó', 'Illes Balears', 39.888, 4.27, 'Mahón'],
  ['ES-CIUTADELLA', 'Ciutadella', null, 39.989, 3.826, 'Ciudadela', 'Son Blanc'],
  ['ESLPA', 'Las Palmas', 'Las Palmas', 28.145, -15.416, 'Las Palmas de Gran Canaria', 'La Luz'],
  ['ES-AGAETE', 'Agaete', null, 28.101, -15.71, 'Las Nieves'],
  ['ESACE', 'Arrecife', 'Las Palmas', 28.966, -13.534],
  ['ES-PLAYA-BLANCA', 'Playa Blanca', null, 28.86, -13.832],
  ['ESFUE', 'Puerto del Rosario', 'Las Palmas', 28.493, -13.857],
  ['ES-CORRALEJO', 'Corralejo', null, 28.742, -13.862],
  ['ES-MORRO-JABLE', 'Morro Jable', null, 28.049, -14.357],
  ['ESSCT', 'Santa Cruz de Tenerife', 'Santa Cruz de Tenerife', 28.476, -16.239],
  ['ES-LOS-CRISTIANOS', 'Los Cristianos', 'Santa Cruz de Tenerife', 28.047, -16.717],
  ['ES-GRANADILLA', 'Granadilla', 'Santa Cruz de Tenerife', 28.085, -16.49],
  ['ESSSG', 'San Sebastián de La Gomera', 'Santa Cruz de Tenerife', 28.086, -17.108, 'La Gomera'],
  ['ESSPC', 'Santa Cruz de La Palma', 'Santa Cruz de Tenerife', 28.676, -17.766, 'La Palma'],
  ['ESHIE', 'La Estaca', 'Santa Cruz de Tenerife', 27.783, -17.902, 'Valverde', 'El Hierro'],
]

/** Ports missing from the World Port Index despite their UN/LOCODE; it also lacks those without one. */
const NOT_INDEXED: readonly string[] = ['ESMLN', 'ESSSG', 'ESHIE']

/**
 * Spanish ports of general interest and other ferry ports, with official names. The World Port Index has most of them, without
 * accents, and lacks a dozen.
 */
export const LISTED_PORTS: readonly ListedPort[] = Object.freeze(
  ROWS.map(([id, name, authority, lat, lon, ...aliases]) => {
    const isIndexed = !id.includes('-') && !NOT_INDEXED.includes(id)
    return Object.freeze({ id, name, authority, position: { lat, lon }, isIndexed, aliases })
  }),
)

const BY_ID: ReadonlyMap<string, ListedPort> = new Map(LISTED_PORTS.map((port) => [port.id, port]))

/** The listed port with an id; undefined for any other. */
export function listedPort(id: string): ListedPort | undefined {
  return BY_ID.get(id)
}
