import { indexNames, type NameIndex } from './names.ts'

/** A province of Spain, or one of its two autonomous cities. */
export interface Province {
  /** INE code, two digits. */
  readonly code: string
  /** Official name in reading order; both forms if two are official: `A Coruña`, `Alicante/Alacant`. */
  readonly name: string
  /** Name as in INE's list: `Coruña, A`. */
  readonly ine_name: string
  /** The name for Spanish sentences: the official one, or the Castilian one of two. */
  readonly spanish: string
  /** Names by language (BCP 47), official or not. */
  readonly names: Readonly<Record<string, string>>
}

/** INE's list (`Relación de provincias con sus códigos`): code, name as listed, then names by language if they differ. */
const LIST: readonly (readonly [code: string, ine: string, names?: Readonly<Record<string, string>>])[] = [
  ['01', 'Araba/Álava', { es: 'Álava', eu: 'Araba' }],
  ['02', 'Albacete'],
  ['03', 'Alicante/Alacant', { es: 'Alicante', ca: 'Alacant' }],
  ['04', 'Almería'],
  ['05', 'Ávila'],
  ['06', 'Badajoz'],
  ['07', 'Balears, Illes', { ca: 'Illes Balears', es: 'Islas Baleares' }],
  ['08', 'Barcelona'],
  ['09', 'Burgos'],
  ['10', 'Cáceres'],
  ['11', 'Cádiz'],
  ['12', 'Castellón/Castelló', { es: 'Castellón', ca: 'Castelló' }],
  ['13', 'Ciudad Real'],
  ['14', 'Córdoba'],
  ['15', 'Coruña, A', { gl: 'A Coruña', es: 'La Coruña' }],
  ['16', 'Cuenca'],
  ['17', 'Girona', { ca: 'Girona', es: 'Gerona' }],
  ['18', 'Granada'],
  ['19', 'Guadalajara'],
  ['20', 'Gipuzkoa', { eu: 'Gipuzkoa', es: 'Guipúzcoa' }],
  ['21', 'Huelva'],
  ['22', 'Huesca', { es: 'Huesca', an: 'Uesca', ca: 'Osca' }],
  ['23', 'Jaén'],
  ['24', 'León', { es: 'León', ast: 'Llión' }],
  ['25', 'Lleida', { ca: 'Lleida', oc: 'Lhèida', es: 'Lérida' }],
  ['26', 'Rioja, La', { es: 'La Rioja', eu: 'Errioxa' }],
  ['27', 'Lugo'],
  ['28', 'Madrid'],
  ['29', 'Málaga'],
  ['30', 'Murcia'],
  ['31', 'Navarra', { es: 'Navarra', eu: 'Nafarroa' }],
  ['32', 'Ourense', { gl: 'Ourense', es: 'Orense' }],
  ['33', 'Asturias', { es: 'Asturias', ast: 'Asturies' }],
  ['34', 'Palencia'],
  ['35', 'Palmas, Las'],
  ['36', 'Pontevedra'],
  ['37', 'Salamanca'],
  ['38', 'Santa Cruz de Tenerife'],
  ['39', 'Cantabria'],
  ['40', 'Segovia'],
  ['41', 'Sevilla'],
  ['42', 'Soria'],
  ['43', 'Tarragona'],
  ['44', 'Teruel', { es: 'Teruel', ca: 'Terol' }],
  ['45', 'Toledo'],
  ['46', 'Valencia/València', { es: 'Valencia', ca: 'València' }],
  ['47', 'Valladolid'],
  ['48', 'Bizkaia', { eu: 'Bizkaia', es: 'Vizcaya' }],
  ['49', 'Zamora'],
  ['50', 'Zaragoza', { es: 'Zaragoza', ca: 'Saragossa' }],
  ['51', 'Ceuta'],
  ['52', 'Melilla'],
]

/** Further names in use: regions of one province, short forms. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  '07': ['Baleares', 'Balears'],
  '12': ['Castellón de la Plana', 'Castelló de la Plana'],
  '15': ['Coruña'],
  '28': ['Comunidad de Madrid', 'Madrid, Comunidad de'],
  '30': ['Región de Murcia', 'Murcia, Región de'],
  '31': ['Comunidad Foral de Navarra', 'Navarra, Comunidad Foral de', 'Navarra/Nafarroa'],
  '33': ['Principado de Asturias', 'Asturias, Principado de'],
  '35': ['Palmas'],
  '38': ['Tenerife', 'S.C. Tenerife', 'Sta. Cruz de Tenerife', 'Santa Cruz Tenerife'],
  '51': ['Ciudad de Ceuta', 'Ciudad Autónoma de Ceuta'],
  '52': ['Ciudad de Melilla', 'Ciudad Autónoma de Melilla'],
}

/** The 50 provinces and the two autonomous cities, by code. */
export const provinces: readonly Province[] = Object.freeze(LIST.map(([code, ine, names]) => province(code, ine, names)))

const byCode: ReadonlyMap<string, Province> = new Map(provinces.map((one) => [one.code, one]))
let byName: NameIndex | undefined

/** The province with an INE code of two digits; undefined for any other text. */
export function provinceByCode(code: string): Province | undefined {
  return byCode.get(code)
}

/**
 * The province with a name in any official language, or a publisher's spelling of it, ignoring case and accents. Undefined for
 * any other text.
 */
export function provinceByName(name: string): Province | undefined {
  byName ??= indexNames(
    provinces.map((one) => [one.code, [one.name, one.ine_name, ...Object.values(one.names), ...(ALIASES[one.code] ?? [])]]),
  )
  const code = byName.find(name)
  return code === null ? undefined : byCode.get(code)
}

function province(code: string, ine: string, names: Readonly<Record<string, string>> | undefined): Province {
  const [rest, article] = ine.split(', ')
  const name = article ? `${article} ${rest}` : ine
  const spanish = ine.includes('/') ? (names?.['es'] ?? name) : name
  return Object.freeze({ code, name, ine_name: ine, spanish, names: Object.freeze(names ?? { es: name }) })
}
