import { communityOf as ofSeveral } from '../../../lake/places/communities.ts'
import { provinces } from '../../../lake/places/provinces.ts'
import type { Municipality } from './municipalities.ts'

/** A province in the publishers' spellings. */
export interface Province {
  /** INE code, 2 digits. */
  readonly code: string
  /** DGT's spelling. */
  readonly dgt: string
  /** The ministry's spelling. */
  readonly ministry: string
  /** INE code of the community, 2 digits. */
  readonly community: string
  /** Approximate number of filling stations. */
  readonly stations: number
}

/** A community in the publishers' spellings. */
export interface Community {
  /** INE code, 2 digits. */
  readonly code: string
  /** DGT's spelling; null if its feed has no roads there. */
  readonly dgt: string | null
  /** The ministry's own number: INE's with 07 and 08 swapped. */
  readonly ministryId: string
}

/** How many filling stations each province has, in the order of their INE codes. */
const STATIONS =
  `81 176 474 233 73 297 215 815 145 165 301 203 247 266 288 172 270 310 91 149 152 130 268 170 204 86 131 889 337 471 260 90 246 70
  251 225 118 240 166 77 487 44 239 111 323 636 163 132 89 277 8 12`.split(/\s+/)
/** Communities of one province, by the province's code. */
const SINGLE: Readonly<Record<string, string>> = {
  '07': '04',
  26: '17',
  28: '13',
  30: '14',
  31: '15',
  33: '03',
  39: '06',
  51: '18',
  52: '19',
}
/** Provinces with two official names, which DGT and the ministry write in their own ways. */
const MINISTRY: Readonly<Record<string, string>> = { '03': 'ALICANTE', 12: 'CASTELLÓN / CASTELLÓ', 46: 'VALENCIA / VALÈNCIA' }

/** Provinces by INE code. */
export const PROVINCES: ReadonlyMap<string, Province> = new Map(
  provinces.map(({ code, name, ine_name }, nth) => [
    code,
    {
      code,
      dgt: code in MINISTRY ? name.split('/').toReversed().join('/') : name,
      // The article follows in brackets.
      ministry: MINISTRY[code] ?? ine_name.toUpperCase().replace(/, (.+)/, ' ($1)'),
      community: ofSeveral(code)?.code ?? (SINGLE[code] as string),
      stations: Number(STATIONS[nth]),
    },
  ]),
)

/** Communities as DGT writes them, in the order of their INE codes; null for those without incidents in its feed. */
const COMMUNITY_NAMES = [
  ...['Andalucía', 'Aragón', 'Asturias, Principado de', 'Balears, Illes', 'Canarias', 'Cantabria', 'Castilla y León'],
  ...['Castilla - La Mancha', 'Cataluña', 'Comunitat Valenciana', 'Extremadura', 'Galicia', 'Madrid, Comunidad de'],
  ...['Murcia, Región de', 'Navarra, Comunidad Foral de', null, 'Rioja, La', null, null],
]

/** Communities by INE code. The ministry numbers both Castiles the other way round. */
export const COMMUNITIES: ReadonlyMap<string, Community> = new Map(
  COMMUNITY_NAMES.map((dgt, nth) => {
    const code = String(nth + 1).padStart(2, '0')
    return [code, { code, dgt, ministryId: { '07': '08', '08': '07' }[code] ?? code }]
  }),
)

/** The province with a code. Throws for an unknown code. */
export function provinceOf(code: string): Province {
  const province = PROVINCES.get(code)
  if (!province) throw new RangeError(`no province ${JSON.stringify(code)}; expected 01 … 52`)
  return province
}

/** The community of a province. */
export function communityOf(province: Province): Community {
  return COMMUNITIES.get(province.community) as Community
}

// Names that the ministry did not update after the INE renamed them.
const MINISTRY_NAMES: Readonly<Record<string, string>> = {
  '01036': 'Llodio',
  '01051': 'Salvatierra/Agurain',
  '03047': 'Calpe/Calp',
  '03105': 'Pinoso',
  '07032': 'Mahón',
  '07040': 'Palma de Mallorca',
  '07054': 'Santa Eulalia del Río',
  '12009': 'Almazora/Almassora',
  '12032': 'Burriana',
  '12040': 'Castellón de la Plana/Castelló de la Plana',
  '12135': 'Villarreal/Vila-real',
  '17034': 'Calonge',
  '20069': 'Donostia-San Sebastián',
  '31097': 'Estella/Lizarra',
  '46250': 'Valencia',
}

const ARTICLE = /^(El|La|Los|Las|A|O|As|Os|Els|Les|el|la|els|les|Es|Sa|Ses|es|sa|ses|L'|l')(?: |(?<='))(.+)$/

/** A municipality's name in the ministry's spelling: article after the name in brackets, Valencian pairs in reverse order. */
export function ministryName(item: Municipality): string {
  const known = MINISTRY_NAMES[item.code]
  if (known) return known
  const slash = item.name.indexOf('/')
  if (slash > 0 && ['03', '12', '46'].includes(item.province)) {
    return `${item.name.slice(slash + 1)}/${articleBehind(item.name.slice(0, slash))}`
  }
  const name = articleBehind(item.name)
  // The ministry capitalizes Catalan articles, and leaves Valencian and Balearic ones unchanged.
  if (!['08', '17', '25', '43'].includes(item.province)) return name
  return name.replace(/\((\p{L}+'?)\)$/u, (_, article: string) => `(${article.charAt(0).toUpperCase()}${article.slice(1)})`)
}

function articleBehind(name: string): string {
  const match = ARTICLE.exec(name)
  // The "Os" of "Os de Balaguer" is not an article.
  if (!match || match[2]?.startsWith('de ')) return name
  return `${match[2]} (${match[1]})`
}
