/** An autonomous community of several provinces. */
export interface Community {
  /** INE code, two digits. */
  readonly code: string
  /** Names in Spanish and its official languages. */
  readonly names: readonly string[]
  /** INE codes of its provinces. */
  readonly province_codes: readonly string[]
}

/** INE's list (`Relación de comunidades autónomas con sus códigos`), with the names in other official languages. */
const LIST: readonly (readonly [code: string, names: readonly string[], provinces: string])[] = [
  ['01', ['Andalucía'], '04 11 14 18 21 23 29 41'],
  ['02', ['Aragón', 'Aragó'], '22 44 50'],
  ['05', ['Canarias', 'Islas Canarias'], '35 38'],
  ['07', ['Castilla y León', 'Castilla-León'], '05 09 24 34 37 40 42 47 49'],
  ['08', ['Castilla-La Mancha'], '02 13 16 19 45'],
  ['09', ['Cataluña', 'Catalunya', 'Catalonha'], '08 17 25 43'],
  ['10', ['Comunitat Valenciana', 'Comunidad Valenciana'], '03 12 46'],
  ['11', ['Extremadura'], '06 10'],
  ['12', ['Galicia', 'Galiza'], '15 27 32 36'],
  ['16', ['País Vasco', 'Euskadi'], '01 20 48'],
]

const byProvince: ReadonlyMap<string, Community> = new Map(
  LIST.flatMap(([code, names, provinces]) => {
    const community = Object.freeze({ code, names, province_codes: provinces.split(' ') })
    return community.province_codes.map((one) => [one, community] as const)
  }),
)

/** The community of a province, by INE code; undefined if the province is a community by itself. */
export function communityOf(province_code: string): Community | undefined {
  return byProvince.get(province_code)
}
