import { chance, diceOf, hash, pick, pickWeighted } from '../random.ts'
import { provinceOf } from './provinces.ts'
import { fillingStations, isListed, type Station } from './stations.ts'
import type { World } from './world.ts'

/** A plug, in the publisher's words. */
interface Plug {
  readonly type: string
  readonly mode: string
  readonly format: string
  readonly watts: number
  readonly volts: number
  readonly amperes: number
}

/** The plugs of a charging point. */
export type Charger = readonly Plug[]

/** A site of charging points. */
export interface SimulatedSite {
  readonly id: string
  readonly name: string
  readonly operator: string
  readonly address: string
  readonly municipality: string
  readonly province: string
  readonly community: string
  readonly postalCode: string
  readonly lat: number
  readonly lon: number
  readonly updatedAt: number
  readonly isAlwaysOpen: boolean
  readonly type: string
  readonly access: readonly string[]
  readonly points: readonly Charger[]
}

const DAY = 86_400_000
const OPERATORS = [
  'IBERDROLA CLIENTES, S.A.U.',
  'ENDESA X WAY, S.L.',
  'ZUNDER RECARGA, S.L.',
  'WENEA MOBILITY, S.L.',
  'ACCIONA RECARGA, S.L.',
]

const AC: Plug = { type: 'iec62196T2', mode: 'mode3AC3p', format: 'socket', watts: 22_170, volts: 400, amperes: 32 }
const SLOW: Plug = { ...AC, watts: 7360, mode: 'mode3AC1p', volts: 230 }
const HOME: Plug = { type: 'domesticF', mode: 'mode2AC1p', format: 'socket', watts: 2300, volts: 230, amperes: 10 }
const CHADEMO: Plug = { type: 'chademo', mode: 'mode4DC', format: 'cableMode3', watts: 50_000, volts: 500, amperes: 125 }
const combo = (watts: number): Plug => ({ ...CHADEMO, type: 'iec62196T2COMBO', watts, amperes: Math.round(watts / 500) })

const CHARGERS: readonly (readonly [Charger, number])[] = [
  [[AC, AC], 30],
  [[SLOW, HOME], 15],
  [[combo(50_000), CHADEMO, { ...AC, watts: 43_000 }], 20],
  [[combo(150_000), combo(150_000)], 20],
  [[combo(360_000)], 10],
]

/** The sites at an instant: one beside most filling stations, so that they are where people drive. */
export function* chargingSitesAt(world: World, instant: number): Generator<SimulatedSite, void> {
  // Two of the register's stations are at 0, 0.
  for (const station of world.part(fillingStations))
    if (station.lat > 20 && isListed(world.seed, station, instant)) yield siteAt(world.seed, station)
}

function siteAt(seed: number, station: Station): SimulatedSite {
  const dice = diceOf(seed, 'charging', station.index)
  const { dgt, community } = provinceOf(station.municipality.province)
  const charger = pickWeighted(CHARGERS, dice())
  return {
    id: `${hash(seed, 'site', station.index).toString(36).toUpperCase()}${station.index.toString(36).toUpperCase()}`,
    name: station.address.replace(/\s+/g, '_'),
    operator: pick(OPERATORS, dice()),
    address: station.address,
    municipality: station.municipality.name,
    province: dgt,
    community,
    postalCode: station.postalCode,
    lat: station.lat + 0.0004 * (dice() - 0.5),
    lon: station.lon + 0.0004 * (dice() - 0.5),
    updatedAt: Date.UTC(2026, 0, 1) - Math.floor(dice() * 700) * DAY,
    isAlwaysOpen: dice() < 0.9,
    type: pickWeighted(
      [
        ['onstreet', 5],
        ['openSpace', 4],
        ['other', 1],
      ] as const,
      dice(),
    ),
    access: chance(seed, 'access', station.index) < 0.3 ? ['rfid', 'apps', 'creditCard'] : ['rfid', 'apps'],
    points: Array.from({ length: 1 + Math.floor(dice() * dice() * 10) }, () => charger),
  }
}
