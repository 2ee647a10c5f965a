import { between, diceOf } from '../random.ts'
import { type Municipality, readGazetteer } from './municipalities.ts'
import { defineWorldPart } from './world.ts'

/** A municipal zone of the ministry's study: a municipality, or a group of small ones. */
export interface MobilityZone {
  readonly id: string
  readonly name: string
  readonly province: string
  /** INE codes of the municipalities in it. */
  readonly municipalities: readonly string[]
  /** Its districts; a zone with a single district is that district. */
  readonly districts: readonly string[]
  readonly population: number
  readonly lon: number
  readonly lat: number
}

/** Zones of each province in short archives, by scale; the study itself has some fifty. */
const PER_PROVINCE = { full: 8, small: 2 }
/**
 * Municipal zones in full archives, and how many of them have three districts. With the shared land in the lists there are 2,618
 * zones and 3,792 districts, like the ministry's. A province's zones with several districts form one urban area.
 */
const STUDY = { zones: 2617, large: 587 } as const

/** The input of a zone. */
interface Parts {
  readonly municipalities: readonly Municipality[]
  /** True if it has several districts. */
  readonly isLarge: boolean
}

/** The zones: some municipalities of each province, and a group of small ones in every fourth zone (`01017_AM`). */
export const mobilityZones = defineWorldPart(({ seed, scale, archives }): readonly MobilityZone[] => {
  const provinces = [...readGazetteer().ofProvince.values()]
  const parts = archives === 'full' ? partsOfStudy(provinces) : provinces.flatMap((all) => someParts(all, PER_PROVINCE[scale]))
  return parts.map((one) => zoneOf(seed, one))
})

function zoneOf(seed: number, { municipalities, isLarge }: Parts): MobilityZone {
  const [first] = municipalities as readonly [Municipality]
  const isTogether = municipalities.length > 1
  const dice = diceOf(seed, 'mobility zone', first.code)
  const id = isTogether ? `${first.code}_AM` : first.code
  return {
    id,
    name: isTogether ? `${first.name} agregacion de municipios` : first.name,
    province: first.province,
    municipalities: municipalities.map(({ code }) => code),
    districts: isLarge ? [1, 2, 3].map((number) => `${first.code}0${number}`) : [id],
    population: isLarge ? between(40_000, 900_000, dice()) : between(800, 30_000, dice()),
    ...first.centre,
  }
}

/**
 * The first zones of a province: every fourth one is a group of three municipalities, or the second one if there are only two.
 */
function someParts(all: readonly Municipality[], count: number): Parts[] {
  const parts: Parts[] = []
  for (let at = 0; parts.length < count && at < all.length; ) {
    const isTogether = parts.length % 4 === 3 || (parts.length === 1 && count === PER_PROVINCE.small)
    const municipalities = all.slice(at, at + (isTogether ? 3 : 1))
    at += municipalities.length
    parts.push({ municipalities, isLarge: parts.length === 0 })
  }
  return parts
}

/** All municipalities of all provinces in as many zones as in the study: the last quarter of a province's zones are groups. */
function partsOfStudy(provinces: readonly (readonly Municipality[])[]): Parts[] {
  const zones = sharesOf(
    provinces.map(({ length }) => length),
    STUDY.zones,
  )
  const large = sharesOf(zones, STUDY.large)
  return provinces.flatMap((all, province) => {
    const count = zones[province] as number
    const together = Math.floor(count / 4)
    const alone = count - together
    const rest = all.length - alone
    const borderOf = (at: number): number => alone + Math.floor((at * rest) / together)
    return [
      ...all.slice(0, alone).map((one, at) => ({ municipalities: [one], isLarge: at < (large[province] as number) })),
      ...Array.from({ length: together }, (_, at) => ({ municipalities: all.slice(borderOf(at), borderOf(at + 1)), isLarge: false })),
    ]
  })
}

/** Divides a total in proportion to sizes, at least one for each, such that the shares sum up to the total. */
function sharesOf(sizes: readonly number[], total: number): number[] {
  const rest = sizes.reduce((sum, size) => sum + size - 1, 0)
  let passed = 0
  let given = 0
  return sizes.map((size) => {
    passed += size - 1
    const until = Math.round(((total - sizes.length) * passed) / rest)
    const share = 1 + until - given
    given = until
    return share
  })
}
