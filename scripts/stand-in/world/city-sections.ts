import { chance, diceOf, pick, wander } from '../random.ts'
import { demand, localTime } from './rhythm.ts'
import { defineWorldPart, type Scale } from './world.ts'

/** A street section in a city that publishes traffic states. */
export interface StreetSection {
  readonly index: number
  readonly id: string
  readonly name: string
  /** [lon, lat] pairs in the direction of traffic. */
  readonly line: readonly (readonly [number, number])[]
  /** False for a section with a published state that is missing in the catalogue. */
  readonly isListed: boolean
  /** Traffic of the busiest hour as a share of its capacity. */
  readonly use: number
}

/** The state of a section at an instant, independent of any publisher's terms. */
export type StreetLevel = 'NONE' | 'VERY_FREE' | 'FREE' | 'DENSE' | 'VERY_DENSE' | 'CONGESTED' | 'CLOSED'

interface City {
  readonly centre: readonly [number, number]
  readonly streets: readonly string[]
  readonly firstId: number
  /** Catalogued sections, and sections that only have a state. */
  readonly counts: Readonly<Record<Scale, { readonly listed: number; readonly others: number }>>
  readonly underpasses: number
}

/** Sections as in the recorded publications: 527 and 5 more, 412, 81. */
const CITIES = {
  barcelona: {
    centre: [2.1686, 41.3934],
    streets: ['Diagonal', 'Gran Via', 'Aragó', 'Balmes', 'Meridiana', 'Ronda del Mig', 'Passeig de Gràcia', 'Via Augusta', 'Sants'],
    firstId: 1,
    counts: { full: { listed: 527, others: 5 }, small: { listed: 260, others: 3 } },
    underpasses: 0,
  },
  valencia: {
    centre: [-0.3763, 39.4699],
    streets: ['MARIA CRISTINA', 'BLASCO IBÁÑEZ', 'GRAN VIA FERRAN EL CATÒLIC', 'COLÓN', 'AUSIÀS MARCH', 'PESET ALEIXANDRE', 'TRES FORQUES'],
    firstId: 1862,
    counts: { full: { listed: 412, others: 0 }, small: { listed: 200, others: 0 } },
    underpasses: 39,
  },
  bilbao: {
    centre: [-2.935, 43.2627],
    streets: [''],
    firstId: 248,
    counts: { full: { listed: 81, others: 0 }, small: { listed: 60, others: 0 } },
    underpasses: 0,
  },
} as const satisfies Readonly<Record<string, City>>
type CityName = keyof typeof CITIES

/** The sections of the cities, by name of the city. */
export const citySections = defineWorldPart(
  ({ seed, scale }): Readonly<Record<CityName, readonly StreetSection[]>> => ({
    barcelona: sectionsIn(seed, 'barcelona', scale),
    valencia: sectionsIn(seed, 'valencia', scale),
    bilbao: sectionsIn(seed, 'bilbao', scale),
  }),
)

function sectionsIn(seed: number, name: CityName, scale: Scale): StreetSection[] {
  const { centre, streets, firstId, counts, underpasses }: City = CITIES[name]
  const { listed, others } = counts[scale]
  let id = firstId - 1
  return Array.from({ length: listed + others }, (_, index) => {
    const dice = diceOf(seed, name, 'section', index)
    // Gaps are the ids of removed sections.
    id += dice() < 0.95 ? 1 : 2
    const [lon, lat] = [centre[0] + (dice() - 0.5) * 0.07, centre[1] + (dice() - 0.5) * 0.05]
    const turn = dice() * 2 * Math.PI
    const points = 2 + Math.floor(dice() * 4)
    const line = Array.from({ length: points }, (_point, at) => {
      const bend = turn + 0.12 * at
      return [lon + 0.0022 * at * Math.cos(bend), lat + 0.0016 * at * Math.sin(bend)] as const
    })
    const street = pick(streets, dice())
    const sectionName = index < underpasses ? `PASO INFERIOR ${street}` : `${street} (${pick(streets, dice())} a ${pick(streets, dice())})`
    return { index, id: String(id), name: sectionName, line, isListed: index < listed, use: 0.45 + 0.6 * dice() }
  })
}

/**
 * The load of a city's streets at an instant (ms): 0 to about 1.2 by section. A pure function of seed, city, section and instant.
 */
export function fullnessAt(seed: number, city: CityName, instant: number): (section: StreetSection) => number {
  const busy = demand(localTime(instant))
  return ({ index, use }) => {
    const drift = 0.3 * wander(instant / 1_800_000, seed, city, index)
    return Math.max(0, use * busy * (1 + drift) * (0.85 + 0.3 * chance(seed, city, index, instant)))
  }
}

/** The states of a city's sections at an instant (ms). Some have no data for some hours; a few are closed for a day. */
export function levelsAt(seed: number, city: CityName, instant: number): (section: StreetSection) => StreetLevel {
  const fullness = fullnessAt(seed, city, instant)
  const [day, part] = [Math.floor(instant / 86_400_000), Math.floor(instant / 14_400_000)]
  return (section) => {
    if (chance(seed, city, section.index, 'closed', day) < 0.012) return 'CLOSED'
    if (chance(seed, city, section.index, 'silent', part) < (city === 'barcelona' ? 0.15 : 0.002)) return 'NONE'
    const full = fullness(section)
    return full < 0.25 ? 'VERY_FREE' : full < 0.62 ? 'FREE' : full < 0.82 ? 'DENSE' : full < 0.95 ? 'VERY_DENSE' : 'CONGESTED'
  }
}
