import { between, diceOf } from '../random.ts'
import { readGazetteer } from './municipalities.ts'
import { defineWorldPart } from './world.ts'

/** A municipal zone of the ministry's study: a municipality, or several small ones together. */
export interface MobilityZone {
  readonly id: string
  readonly name: string
  readonly province: string
  /** INE codes of the municipalities in it. */
  readonly municipalities: readonly string[]
  /** Its districts: itself, where it has only one. */
  readonly districts: readonly string[]
  readonly population: number
  readonly lon: number
  readonly lat: number
}

/** Zones of each province, by how large the generated Spain is; the study itself has some fifty. */
const PER_PROVINCE = { full: 8, small: 2 }

/** The zones: of each province some municipalities, every fourth zone three small ones together (`01017_AM`). */
export const mobilityZones = defineWorldPart(({ seed, scale }): readonly MobilityZone[] =>
  [...readGazetteer().ofProvince].flatMap(([province, municipalities]) => {
    const zones: MobilityZone[] = []
    for (let at = 0; zones.length < PER_PROVINCE[scale] && at < municipalities.length; ) {
      const isTogether = zones.length % 4 === 3 || (zones.length === 1 && scale === 'small')
      const parts = municipalities.slice(at, at + (isTogether ? 3 : 1))
      at += parts.length
      const [first] = parts as [(typeof parts)[number]]
      const dice = diceOf(seed, 'mobility zone', first.code)
      const isLarge = zones.length === 0
      const districts = isLarge ? [1, 2, 3].map((number) => `${first.code}0${number}`) : [isTogether ? `${first.code}_AM` : first.code]
      zones.push({
        id: isTogether ? `${first.code}_AM` : first.code,
        name: isTogether ? `${first.name} agregacion de municipios` : first.name,
        province,
        municipalities: parts.map(({ code }) => code),
        districts,
        population: isLarge ? between(40_000, 900_000, dice()) : between(800, 30_000, dice()),
        ...first.centre,
      })
    }
    return zones
  }),
)
