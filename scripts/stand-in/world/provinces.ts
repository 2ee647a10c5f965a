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

// Names are facts of public record; DGT and the ministry each have their own spelling, which differs from the INE's.
const PROVINCE_ROWS: readonly (readonly [string, string, string, string, number])[] = [
  ['01', 'Araba/Álava', 'ARABA/ÁLAVA', '16', 81],
  ['02', 'Albacete', 'ALBACETE', '08', 176],
  ['03', 'Alacant/Alicante', 'ALICANTE', '10', 474],
  ['04', 'Almería', 'ALMERÍA', '01', 233],
  ['05', 'Ávila', 'ÁVILA', '07', 73],
  ['06', 'Badajoz', 'BADAJOZ', '11', 297],
  ['07', 'Illes Balears', 'BALEARS (ILLES)', '04', 215],
  ['08', 'Barcelona', 'BARCELONA', '09', 815],
  ['09', 'Burgos', 'BURGOS', '07', 145],
  ['10', 'Cáceres', 'CÁCERES', '11', 165],
  ['11', 'Cádiz', 'CÁDIZ', '01', 301],
  ['12', 'Castelló/Castellón', 'CASTELLÓN / CASTELLÓ', '10', 203],
  ['13', 'Ciudad Real', 'CIUDAD REAL', '08', 247],
  ['14', 'Córdoba', 'CÓRDOBA', '01', 266],
  ['15', 'A Coruña', 'CORUÑA (A)', '12', 288],
  ['16', 'Cuenca', 'CUENCA', '08', 172],
  ['17', 'Girona', 'GIRONA', '09', 270],
  ['18', 'Granada', 'GRANADA', '01', 310],
  ['19', 'Guadalajara', 'GUADALAJARA', '08', 91],
  ['20', 'Gipuzkoa', 'GIPUZKOA', '16', 149],
  ['21', 'Huelva', 'HUELVA', '01', 152],
  ['22', 'Huesca', 'HUESCA', '02', 130],
  ['23', 'Jaén', 'JAÉN', '01', 268],
  ['24', 'León', 'LEÓN', '07', 170],
  ['25', 'Lleida', 'LLEIDA', '09', 204],
  ['26', 'La Rioja', 'RIOJA (LA)', '17', 86],
  ['27', 'Lugo', 'LUGO', '12', 131],
  ['28', 'Madrid', 'MADRID', '13', 889],
  ['29', 'Málaga', 'MÁLAGA', '01', 337],
  ['30', 'Murcia', 'MURCIA', '14', 471],
  ['31', 'Navarra', 'NAVARRA', '15', 260],
  ['32', 'Ourense', 'OURENSE', '12', 90],
  ['33', 'Asturias', 'ASTURIAS', '03', 246],
  ['34', 'Palencia', 'PALENCIA', '07', 70],
  ['35', 'Las Palmas', 'PALMAS (LAS)', '05', 251],
  ['36', 'Pontevedra', 'PONTEVEDRA', '12', 225],
  ['37', 'Salamanca', 'SALAMANCA', '07', 118],
  ['38', 'Santa Cruz de Tenerife', 'SANTA CRUZ DE TENERIFE', '05', 240],
  ['39', 'Cantabria', 'CANTABRIA', '06', 166],
  ['40', 'Segovia', 'SEGOVIA', '07', 77],
  ['41', 'Sevilla', 'SEVILLA', '01', 487],
  ['42', 'Soria', 'SORIA', '07', 44],
  ['43', 'Tarragona', 'TARRAGONA', '09', 239],
  ['44', 'Teruel', 'TERUEL', '02', 111],
  ['45', 'Toledo', 'TOLEDO', '08', 323],
  ['46', 'València/Valencia', 'VALENCIA / VALÈNCIA', '10', 636],
  ['47', 'Valladolid', 'VALLADOLID', '07', 163],
  ['48', 'Bizkaia', 'BIZKAIA', '16', 132],
  ['49', 'Zamora', 'ZAMORA', '07', 89],
  ['50', 'Zaragoza', 'ZARAGOZA', '02', 277],
  ['51', 'Ceuta', 'CEUTA', '18', 8],
  ['52', 'Melilla', 'MELILLA', '19', 12],
]

/** The 52 provinces, by INE code. */
export const PROVINCES: ReadonlyMap<string, Province> = new Map(
  PROVINCE_ROWS.map(([code, dgt, ministry, community, stations]) => [code, { code, dgt, ministry, community, stations }]),
)

const COMMUNITY_ROWS: readonly (readonly [string, string | null, string])[] = [
  ['01', 'Andalucía', '01'],
  ['02', 'Aragón', '02'],
  ['03', 'Asturias, Principado de', '03'],
  ['04', 'Balears, Illes', '04'],
  ['05', 'Canarias', '05'],
  ['06', 'Cantabria', '06'],
  ['07', 'Castilla y León', '08'],
  ['08', 'Castilla - La Mancha', '07'],
  ['09', 'Cataluña', '09'],
  ['10', 'Comunitat Valenciana', '10'],
  ['11', 'Extremadura', '11'],
  ['12', 'Galicia', '12'],
  ['13', 'Madrid, Comunidad de', '13'],
  ['14', 'Murcia, Región de', '14'],
  ['15', 'Navarra, Comunidad Foral de', '15'],
  ['16', null, '16'],
  ['17', 'Rioja, La', '17'],
  ['18', null, '18'],
  ['19', null, '19'],
]

/** The 19 communities and cities, by INE code. */
export const COMMUNITIES: ReadonlyMap<string, Community> = new Map(
  COMMUNITY_ROWS.map(([code, dgt, ministryId]) => [code, { code, dgt, ministryId }]),
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
