import { CAPITALS } from '../../../lake/places/capitals.ts'
import { chance, pickWeighted } from '../random.ts'
import { type Municipality, readGazetteer } from './municipalities.ts'
import type { World } from './world.ts'

/** A zone as its council publishes it. */
export interface SimulatedZone {
  readonly id: string
  readonly name: string
  readonly hours: readonly [from: string, until: string]
  readonly labels: readonly string[]
  readonly validFrom: string
  /** Corners in the publisher's order: clockwise. */
  readonly rings: readonly (readonly (readonly [lon: number, lat: number])[])[]
}

/** The zones of a municipality, which are one file. */
export interface ZoneFile {
  readonly name: string
  readonly zones: readonly SimulatedZone[]
}

/** Corners of a ring; Madrid's outer zone is drawn more finely. */
const CORNERS = 400
const MANY_CORNERS = 10_000

const HOURS: readonly (readonly [readonly [string, string], number])[] = [
  [['00:00:00Z', '23:59:59Z'], 22],
  [['07:00:00Z', '20:00:00Z'], 15],
  [['07:00:00Z', '18:59:59Z'], 8],
]
const LABELS: readonly (readonly [readonly string[], number])[] = [
  [['Sin distintivo'], 30],
  [['0', 'ECO', 'C', 'B', 'Sin distintivo'], 4],
  [['0', 'ECO', 'C', 'B'], 3],
  [['C', 'B', 'Sin distintivo'], 2],
  [[], 1],
]

/** The zones of the provincial capitals; Madrid has a second one inside the first. */
export function zoneFiles({ seed }: World): ZoneFile[] {
  return readGazetteer()
    .municipalities.filter(({ code }) => CAPITALS.has(code))
    .map((town) => ({
      name: `${(town.name.split('/')[0] as string).replace(/[^\p{L}]/gu, '')}.xml`,
      zones: [zoneOf(seed, town, 'ZBE'), ...(town.code === '28079' ? [zoneOf(seed, town, 'ZBEDEP Centro')] : [])],
    }))
}

function zoneOf(seed: number, town: Municipality, kind: string): SimulatedZone {
  const isInner = kind !== 'ZBE'
  const radius = (isInner ? 0.008 : 0.02) * (0.6 + 0.4 * chance(seed, 'zone', town.code, kind))
  const day = String(1 + Math.floor(28 * chance(seed, 'zone day', town.code))).padStart(2, '0')
  return {
    id: `${town.code}_${town.name} (${kind})`,
    name: `${town.name} (${kind})`,
    hours: pickWeighted(HOURS, chance(seed, 'zone hours', town.code)),
    labels: pickWeighted(LABELS, chance(seed, 'zone labels', town.code, kind)),
    validFrom: `2025-0${1 + Math.floor(9 * chance(seed, 'zone month', town.code))}-${day}`,
    rings: [ringAround(town, radius, town.code === '28079' && !isInner ? MANY_CORNERS : CORNERS)],
  }
}

function ringAround({ centre }: Municipality, radius: number, corners: number): [number, number][] {
  return Array.from({ length: corners + 1 }, (_, at) => {
    const turn = (-2 * Math.PI * (at % corners)) / corners
    const wave = radius * (1 + 0.1 * Math.sin(5 * turn))
    return [centre.lon + wave * Math.cos(turn), centre.lat + 0.75 * wave * Math.sin(turn)]
  })
}
