import { alertZone } from '../../../lake/datasets/weather/weather-alerts.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { readGazetteer } from './municipalities.ts'
import { PROVINCES } from './provinces.ts'
import { defineWorldPart } from './world.ts'

/** A warning zone, with rings of [lon, lat]. */
export interface AlertZone {
  readonly code: string
  readonly name: string
  readonly province_code: string
  readonly is_coastal: boolean
  readonly rings: readonly Line[]
}

/** AEMET's first digits by INE code of the community. */
const COMMUNITIES = '01:61 02:62 03:63 04:64 05:65 06:66 07:67 08:68 09:69 10:77 11:70 12:71 13:72 14:73 15:74 16:75 17:76 18:78 19:79'
const AEMET: ReadonlyMap<string, string> = new Map(COMMUNITIES.split(' ').map((pair) => pair.split(':') as [string, string]))
/** The digits of some islands, which replace the number of their province. */
const ISLANDS: Readonly<Record<string, string>> = { '07': '54', '35': '90', '38': '95' }
/** Degrees from the land to the sea by province: [lon, lat]. */
const SEAS: readonly (readonly [provinces: string, away: readonly [number, number]])[] = [
  ['15 20 27 33 39 48', [0, 0.5]],
  ['03 07 08 12 17 30 36 43 46', [0.5, -0.2]],
  ['04 11 18 21 29 35 38 51 52', [0, -0.5]],
]
const PARTS = ['Oeste', 'Centro', 'Este'] as const

/**
 * Zones with codes of the plan Meteoalerta: each province in three strips, and the sea at its coast. Real zones follow borders of
 * municipalities, and have names of landscapes.
 */
export const alertZones = defineWorldPart((): readonly AlertZone[] =>
  [...readGazetteer().ofProvince].flatMap(([province, towns]) => {
    const { dgt, community } = PROVINCES.get(province) as { readonly dgt: string; readonly community: string }
    const of = (number: number, name: string, rings: readonly Line[], mark = ''): AlertZone => {
      const code = `${AEMET.get(community)}${ISLANDS[province] ?? province}0${number}${mark}`
      return { code, name: `${name} de ${dgt}`, rings, ...(alertZone(code) as NonNullable<ReturnType<typeof alertZone>>) }
    }
    const [west, east] = [Math.min(...towns.map((town) => town.west)), Math.max(...towns.map((town) => town.east))]
    const [south, north] = [Math.min(...towns.map((town) => town.south)), Math.max(...towns.map((town) => town.north))]
    const width = (east - west) / PARTS.length
    const land = PARTS.map((part, nth) => of(nth + 1, part, [boxOf(west + nth * width, south, west + (nth + 1) * width, north)]))
    const [, sea] = SEAS.find(([provinces]) => provinces.includes(province)) ?? []
    return sea ? [...land, of(1, 'Litoral', [boxOf(west + sea[0], south + sea[1], east + sea[0], north + sea[1])], 'C')] : land
  }),
)

/** A closed ring, clockwise as in AEMET's data, in hundredths of a degree. */
function boxOf(...[west, south, east, north]: readonly [number, number, number, number]): Line {
  const corners = [
    [west, south],
    [west, north],
    [east, north],
    [east, south],
    [west, south],
  ] as const
  return corners.map(([lon, lat]) => [Math.round(lon * 100) / 100, Math.round(lat * 100) / 100])
}
