import { diceOf, hash, pick } from '../random.ts'
import { fillingStations, isListed, type Station } from './stations.ts'
import type { World } from './world.ts'

/** A site of charging points, beside a filling station. */
export interface ChargingSite {
  readonly id: string
  readonly operator: string
  readonly station: Station
  /** Number of its charging points. */
  readonly points: number
  readonly lat: number
  readonly lon: number
  /** When its record was last changed, ms. */
  readonly updatedAt: number
}

const DAY = 86_400_000
const OPERATORS = [
  'IBERDROLA CLIENTES, S.A.U.',
  'ENDESA X WAY, S.L.',
  'ZUNDER RECARGA, S.L.',
  'WENEA MOBILITY, S.L.',
  'ACCIONA RECARGA, S.L.',
]

/** The sites at an instant: one beside most filling stations, so that they are where people drive. */
export function chargingSitesAt(world: World, instant: number): ChargingSite[] {
  // Two of the register's stations are at 0, 0.
  const stations = world.part(fillingStations).filter((station) => station.lat > 20 && isListed(world.seed, station, instant))
  return stations.map((station) => {
    const dice = diceOf(world.seed, 'charging', station.index)
    return {
      id: `${hash(world.seed, 'site', station.index).toString(36).toUpperCase()}${station.index.toString(36).toUpperCase()}`,
      operator: pick(OPERATORS, dice()),
      station,
      points: 1 + Math.floor(dice() * dice() * 12),
      lat: station.lat + 0.0004 * (dice() - 0.5),
      lon: station.lon + 0.0004 * (dice() - 0.5),
      updatedAt: Date.UTC(2026, 0, 1) - Math.floor(dice() * 700) * DAY,
    }
  })
}
