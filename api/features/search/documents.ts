import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { municipalityNames } from '../../../lake/places/municipality-names.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import { FIELD_NUMBER, FIELDS, type FieldWeights, type SearchDocument } from '../../endpoints/search/collection.ts'
import { foldCode, townName, wordsOf } from './fold.ts'
import type { IndexedDocument } from './segment.ts'

/** Weights by field number. */
export function weightsOf(weights: FieldWeights): number[] {
  return [...FIELDS.map((field) => weights[field]), weights.names]
}

/** Returns a document with all its texts, including the names of its municipality and province, in index form. */
export function indexedDocument(document: SearchDocument): IndexedDocument {
  const { title, subtitle, names = [], codes = [], text = [], importance } = document
  const { position, province_code = null, municipality_code = null } = document
  const texts: [number, string][] = [[FIELD_NUMBER.title, title]]
  for (const name of names) texts.push([FIELD_NUMBER.names, name])
  for (const name of otherNames(title, municipality_code)) texts.push([FIELD_NUMBER.variant, name])
  for (const code of codes) if (code !== null) texts.push([FIELD_NUMBER.codes, code])
  if (province_code !== null) texts.push([FIELD_NUMBER.place, provinceNames(province_code)])
  if (municipality_code !== null) texts.push([FIELD_NUMBER.place, municipalityNames(municipality_code).join(' ')])
  for (const one of [subtitle, ...text]) if (one !== null && one !== '') texts.push([FIELD_NUMBER.text, one])
  const { id, link, url } = document
  return {
    shown: { id, title, subtitle, names, link, url },
    texts,
    lat: position?.lat ?? null,
    lon: position?.lon ?? null,
    province: province_code === null ? 0 : Number(province_code),
    importance,
    exact: [...new Set((document.exact ?? []).flatMap((code) => (code === null ? [] : [foldCode(code)])))],
    townNames: document.isTown ? [...new Set([title, ...names].map((name) => townName(wordsOf(name))))] : [],
  }
}

/** Returns the names and codes of a document in index form: by these a caller below the plan of its collection finds it. */
export function indexedNames(document: SearchDocument): IndexedDocument {
  return indexedDocument({ ...document, subtitle: null, text: [], position: null, province_code: null, municipality_code: null })
}

/** For a title that contains its municipality: the other names in its place. */
function otherNames(title: string, code: string | null): string[] {
  const name = code === null ? undefined : municipalityByCode(code)?.name
  if (code === null || name === undefined) return []
  const names = municipalityNames(code)
  const named = [name, ...names].find((one) => title.includes(one))
  return named === undefined ? [] : names.filter((one) => one !== named).map((one) => title.replace(named, one))
}

function provinceNames(code: string): string {
  const { name, names } = provinceByCode(code) ?? { name: '', names: {} }
  return [name, ...Object.values(names)].join(' ')
}
