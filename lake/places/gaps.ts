import { provinces } from './provinces.ts'

/** Provinces for which no source of a dataset has data. */
export interface ProvinceGap {
  /** INE codes of the provinces. */
  readonly province_codes: readonly string[]
  /** Note in replies to requests for one of them. */
  readonly note: string
}

/** A part of Spain with its own authorities, as text and as INE codes of its provinces. */
interface Region {
  readonly name: string
  readonly province_codes: readonly string[]
}

export const BASQUE_COUNTRY: Region = Object.freeze({
  name: 'the Basque Country (Araba/Álava, Bizkaia, Gipuzkoa)',
  province_codes: Object.freeze(['01', '20', '48']),
})
export const CATALONIA: Region = Object.freeze({
  name: 'Catalonia (Barcelona, Girona, Lleida, Tarragona)',
  province_codes: Object.freeze(['08', '17', '25', '43']),
})
export const AUTONOMOUS_CITIES: Region = Object.freeze({ name: 'Ceuta and Melilla', province_codes: Object.freeze(['51', '52']) })

/** The gap of a dataset with `things` of all Spain except some regions. */
export function allBut(things: string, ...regions: readonly Region[]): ProvinceGap {
  const names = regions.map(({ name }) => name).join(', or of ')
  return Object.freeze({
    province_codes: Object.freeze(regions.flatMap(({ province_codes }) => province_codes).toSorted()),
    note: `No source of this service has ${things} of ${names}: an empty list does not mean that none exist.`,
  })
}

/** The gap of a dataset with `things` of the cities of some provinces only; `where` names the cities. */
export function onlyOf(things: string, where: string, codes: readonly string[]): ProvinceGap {
  return Object.freeze({
    province_codes: Object.freeze(provinces.map(({ code }) => code).filter((code) => !codes.includes(code))),
    note: `This service has ${things} of ${where} only: an empty list does not mean that none exist elsewhere.`,
  })
}
