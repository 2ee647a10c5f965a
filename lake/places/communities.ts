/** An autonomous community of several provinces. */
export interface Community {
  /** INE code, two digits. */
  readonly code: string
  /** Code of ISO 3166-2: unlike INE's, no province has it. */
  readonly iso_code: string
  /** Names in Spanish and its official languages. */
  readonly names: readonly string[]
  /** INE codes of its provinces. */
  readonly province_codes: readonly string[]
}

/**
 * INE's list (`Relación de comunidades autónomas con sus códigos`), with the names in other official languages, and ISO 3166-2.
 */
const LIST: readonly (readonly [code: string, iso_code: string, names: readonly string[], provinces: string])[] = [
  ['01', 'ES-AN', ['Andalucía'], '04 11 14 18 21 23 29 41'],
  ['02', 'ES-AR', ['Aragón', 'Aragó', 'Aragon'], '22 44 50'],
  ['05', 'ES-CN', ['Canarias', 'Islas Canarias'], '35 38'],
  ['07', 'ES-CL', ['Castilla y León', 'Castilla-León'], '05 09 24 34 37 40 42 47 49'],
  ['08', 'ES-CM', ['Castilla-La Mancha'], '02 13 16 19 45'],
  ['09', 'ES-CT', ['Cataluña', 'Catalunya', 'Catalonha'], '08 17 25 43'],
  ['10', 'ES-VC', ['Comunitat Valenciana', 'Comunidad Valenciana'], '03 12 46'],
  ['11', 'ES-EX', ['Extremadura'], '06 10'],
  ['12', 'ES-GA', ['Galicia', 'Galiza'], '15 27 32 36'],
  ['16', 'ES-PV', ['País Vasco', 'Euskadi'], '01 20 48'],
]

/** Communities and autonomous cities of one province, by ISO 3166-2, with the name of INE's list first. */
export const singleCommunities: readonly (readonly [iso_code: string, province_code: string, names: readonly string[]])[] = [
  ['ES-AS', '33', ['Principado de Asturias', "Principáu d'Asturies"]],
  ['ES-CB', '39', ['Cantabria']],
  ['ES-CE', '51', ['Ceuta']],
  ['ES-IB', '07', ['Illes Balears', 'Islas Baleares']],
  ['ES-MC', '30', ['Región de Murcia']],
  ['ES-MD', '28', ['Comunidad de Madrid']],
  ['ES-ML', '52', ['Melilla']],
  ['ES-NC', '31', ['Comunidad Foral de Navarra', 'Nafarroako Foru Komunitatea']],
  ['ES-RI', '26', ['La Rioja']],
]

/** The communities of several provinces, by code. */
export const communities: readonly Community[] = Object.freeze(
  LIST.map(([code, iso_code, names, codes]) => Object.freeze({ code, iso_code, names, province_codes: codes.split(' ') })),
)

const byProvince: ReadonlyMap<string, Community> = new Map(
  communities.flatMap((community) => community.province_codes.map((one) => [one, community] as const)),
)

/** The community of a province, by INE code; undefined if the province is a community by itself. */
export function communityOf(province_code: string): Community | undefined {
  return byProvince.get(province_code)
}

/** The names of a province's community or autonomous city, by INE code of the province; none for other codes. */
export function communityNames(province_code: string): readonly string[] {
  return communityOf(province_code)?.names ?? singleCommunities.find(([, code]) => code === province_code)?.[2] ?? []
}
