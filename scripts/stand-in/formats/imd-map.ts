import { chance, hash } from '../random.ts'
import { type ImdSection, postText, vehiclesOf } from '../world/imd.ts'

/** The input of a layer of a year's map. */
export interface ImdMap {
  readonly seed: number
  readonly year: number
  readonly sections: readonly ImdSection[]
  /** Number of the publication: in each one, some sections are corrected. */
  readonly edition: number
  readonly hasUnknownCodes: boolean
}

/** A page of a layer: the first feature, and the maximum number of features. */
export interface ImdPage {
  readonly offset: number
  readonly most: number
}

/** The one year whose layer has names cut to ten characters, as in shapefiles. */
const CUT_YEAR = 2019
const LONG_NAMES = {
  provincia: 'Provincia',
  nombre: 'Nombre',
  tipo_carretera: 'Tipo de carretera',
  pk_inicio: 'PK inicio',
  pk_fin: 'PK fin',
  longitud: 'Longitud',
  vh_km_total: 'vh-km total',
  vh_km_ligeros: 'vh-km ligeros',
  vh_km_pesados: 'vh-km pesados',
  imd_total: 'IMD total',
  imd_ligeros: 'IMD ligeros',
  imd_pesados: 'IMD pesados',
} as const
type LongName = keyof typeof LONG_NAMES
const CUT_NAMES: Readonly<Record<LongName, string>> = {
  provincia: 'Provincia',
  nombre: 'Nombre',
  tipo_carretera: 'Tipo_de_ca',
  pk_inicio: 'Pk_inicio',
  pk_fin: 'Pk_fin',
  longitud: 'Longitud',
  vh_km_total: 'vh_km_tota',
  vh_km_ligeros: 'vh_km_lige',
  vh_km_pesados: 'vh_km_pesa',
  imd_total: 'IMD_total',
  imd_ligeros: 'IMD_ligero',
  imd_pesados: 'IMD_pesado',
}
/** Share of sections that an edition corrects. */
const CORRECTED = 0.003

/** A page of the layer of sections, like an ArcGIS server's answer to a query: no geometry, ids that are valid for one year. */
export function imdSectionPage(map: ImdMap, { offset, most }: ImdPage): string {
  const { seed, year, sections, hasUnknownCodes } = map
  const names =
    year === CUT_YEAR ? CUT_NAMES : (Object.fromEntries(Object.keys(LONG_NAMES).map((name) => [name, name])) as typeof CUT_NAMES)
  const order = [...sections.keys()].sort(
    (one, other) => hash(seed, 'imd id', year, one) - hash(seed, 'imd id', year, other) || one - other,
  )
  const features = order.slice(offset, offset + most).map((at, nth) => {
    const values = valuesOf(map, sections[at] as ImdSection)
    const attributes = Object.fromEntries((Object.keys(values) as LongName[]).map((name) => [names[name], values[name]]))
    return { attributes: { OBJECTID: offset + nth + 1, ...attributes, ...(hasUnknownCodes ? { velocidad_media: 80 } : {}) } }
  })
  const fields = (Object.keys(LONG_NAMES) as LongName[]).map((name) => {
    const isText = !/^(longitud|vh_km|imd)/.test(name)
    const type = isText ? 'esriFieldTypeString' : 'esriFieldTypeDouble'
    return { name: names[name], type, alias: LONG_NAMES[name], ...(isText ? { length: 254 } : {}) }
  })
  return JSON.stringify({
    displayFieldName: names.provincia,
    fieldAliases: Object.fromEntries([['OBJECTID', 'OBJECTID'], ...fields.map(({ name, alias }) => [name, alias])]),
    fields: [{ name: 'OBJECTID', type: 'esriFieldTypeOID', alias: 'OBJECTID' }, ...fields],
    features,
    ...(offset + most < sections.length ? { exceededTransferLimit: true } : {}),
  })
}

function valuesOf({ seed, year, edition }: ImdMap, section: ImdSection): Readonly<Record<LongName, string | number>> {
  const { road, from_m, to_m, length_km, heavyShare } = section
  const correction = chance('counted anew', road, from_m, year, edition) < CORRECTED ? 1.02 : 1
  const total = Math.round(vehiclesOf(seed, section, year) * correction)
  const heavy = Math.round(total * heavyShare)
  // Light and heavy vehicles are slightly less than the total.
  const light = total - heavy - Math.min(total - heavy, hash('other', road, from_m, year) % 24)
  const vehicleKm = (imd: number): number => Math.floor(length_km * (year % 4 === 0 ? 366 : 365) * imd)
  return {
    provincia: section.province,
    nombre: road,
    tipo_carretera: section.roadType,
    pk_inicio: postText(road, from_m),
    pk_fin: postText(road, to_m),
    longitud: length_km,
    vh_km_total: vehicleKm(total),
    vh_km_ligeros: vehicleKm(light),
    vh_km_pesados: vehicleKm(heavy),
    imd_total: total,
    imd_ligeros: light,
    imd_pesados: heavy,
  }
}
