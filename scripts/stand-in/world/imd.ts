import { between, chance, diceOf, hash } from '../random.ts'
import { provinceOf } from './provinces.ts'
import { roadNetwork } from './road-network.ts'
import { defineWorldPart } from './world.ts'

/** A section of a state road on the traffic map. */
export interface ImdSection {
  readonly road: string
  readonly roadType: string
  /** In the map's spelling: capitals, no accents. */
  readonly province: string
  readonly from_m: number
  readonly to_m: number
  readonly length_km: number
  /** Daily vehicles in 2018. */
  readonly vehicles: number
  readonly heavyShare: number
}

/** Shortest and longest section by scale, km: the real map has some 4,000 sections. */
const LENGTHS = { full: [2, 13], small: [20, 60] } as const
/** Designations of state roads; most other roads belong to regions and provinces. */
const OF_STATE = /^((?!A-92$)A-\d{1,2}|AP-\d+|R-\d|N-[IVX\d]+[a-z]?|M-40|M-50)$/

/** The sections of the state roads, by road and kilometre post. */
export const imdSections = defineWorldPart((world): readonly ImdSection[] => {
  const { stretches } = world.part(roadNetwork)
  const [least, most] = LENGTHS[world.scale]
  const found: ImdSection[] = []
  for (const [code, all] of stretches)
    for (const { road, from_km, to_km } of all) {
      if (!OF_STATE.test(road.name)) continue
      const dice = diceOf(world.seed, 'imd', road.name, code, from_km)
      for (let at = from_km * 1000; at < to_km * 1000; ) {
        const rest = to_km * 1000 - at
        const step = Math.min(rest, 10 * between(100 * least, 100 * most, dice()))
        const end = rest - step < 1000 ? at + rest : at + step
        found.push({
          road: road.name,
          roadType: typeOf(road.name, dice()),
          province: withoutAccents(provinceOf(code).dgt).toUpperCase(),
          from_m: at,
          to_m: end,
          // The distance between posts is not exactly a kilometre.
          length_km: Math.round(((end - at) / 1000) * (0.98 + 0.02 * dice()) * 100) / 100,
          vehicles: Math.round((road.name.startsWith('N') ? 3000 : 18_000) * Math.exp(1.6 * (dice() - 0.5))),
          heavyShare: 0.04 + 0.22 * dice(),
        })
        at = end
      }
    }
  return found
})

/** Daily vehicles of a section in a year: a trend, and a variation by year. */
export function vehiclesOf(seed: number, { road, from_m, vehicles }: ImdSection, year: number): number {
  const growth = 1 + 0.015 * (year - 2018)
  return Math.round(vehicles * growth * (0.97 + 0.06 * chance(seed, 'imd year', road, from_m, year)))
}

/** A kilometre post in the map's format; sometimes relative to an earlier post, as if one were missing. */
export function postText(road: string, at_m: number): string {
  const isBehind = at_m >= 1000 && hash('post', road, at_m) % 20 === 0
  const post = Math.floor(at_m / 1000) - (isBehind ? 1 : 0)
  return `${post}+${String(at_m - post * 1000).padStart(3, '0')}`
}

const withoutAccents = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '')

function typeOf(road: string, u: number): string {
  if (road.startsWith('AP-') || road.startsWith('R-')) return 'Autopista de peaje'
  if (road.startsWith('N-')) return u < 0.05 ? 'Multicarril' : 'Carretera convencional'
  return u < 0.05 ? 'Autopista libre' : 'Autovía'
}
