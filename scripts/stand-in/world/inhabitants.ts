import { chance } from '../random.ts'

/** Thousands of inhabitants of capitals and of towns above 100,000 (IGN's register of 2023), by INE code. */
const TOWNS: ReadonlyMap<string, number> = new Map(
  `01059 256, 02003 173, 03014 349, 03065 238, 04013 201, 04079 107, 05019 58, 06015 150, 07040 423, 08015 226,
08019 1660, 08101 274, 08121 130, 08187 218, 08245 120, 08279 225, 09059 174, 10037 96, 11004 124, 11012 112,
11020 213, 12040 176, 13034 75, 14021 324, 15030 247, 16078 54, 17079 104, 18087 231, 19130 89, 20069 189, 21041 143,
22125 54, 23050 112, 24089 121, 25120 143, 26089 151, 27028 98, 28005 199, 28006 119, 28007 172, 28058 189, 28065 186,
28074 191, 28079 3332, 28092 211, 28106 133, 28123 100, 28148 138, 29067 586, 29069 156, 30016 218, 30030 469,
31201 206, 32054 104, 33024 268, 33044 218, 34120 76, 35016 378, 35026 102, 36038 83, 36057 294, 37274 144, 38023 159,
38038 209, 39075 173, 40194 51, 41038 139, 41091 684, 42173 40, 43123 108, 43148 138, 44216 36, 45168 86, 46250 808,
47186 297, 48013 101, 48020 346, 49275 59, 50297 683, 51001 83, 52001 85`
    .split(/,\s/)
    .map((one) => [one.slice(0, 5), 1000 * Number(one.slice(6))]),
)

/** Inhabitants of a municipality in 2023: of the largest as they are, of the others made up, spread as the true ones are. */
export function inhabitantsOf(code: string, seed: number): number {
  const share = chance(seed, 'inhabitants', Number(code))
  return TOWNS.get(code) ?? Math.round(Math.exp(3.5 + 5.6 * share + 2.2 * share ** 16))
}
