import { municipalityByCode } from '../../lake/places/municipalities.ts'
import { MUNICIPALITY_ALIASES } from '../../lake/places/municipality-aliases.ts'
import { provinceByCode } from '../../lake/places/provinces.ts'
import { FIELDS, type FieldWeights, type SearchDocument } from './collection.ts'
import type { IndexedDocument } from './segment.ts'

const [TITLE, NAMES, CODES, PLACE, TEXT] = FIELDS.map((_, number) => number) as [number, number, number, number, number]
/** The title with another name of the municipality in it: weighed as a name. */
const VARIANT = FIELDS.length

/** Weights by the numbers of the fields of indexed documents. */
export function weightsOf(weights: FieldWeights): number[] {
  return [...FIELDS.map((field) => weights[field]), weights.names]
}

/** A document as the index takes it: all its texts, and the names of where it is. */
export function indexedDocument(document: SearchDocument): IndexedDocument {
  const { title, subtitle, names = [], codes = [], text = [], position, province_code, municipality_code = null, importance } = document
  const texts: [number, string][] = [[TITLE, title]]
  for (const name of names) texts.push([NAMES, name])
  for (const name of otherNames(title, municipality_code)) texts.push([VARIANT, name])
  for (const code of codes) if (code !== null) texts.push([CODES, code])
  if (province_code !== null) texts.push([PLACE, provinceNames(province_code)])
  if (municipality_code !== null) texts.push([PLACE, municipalityNames(municipality_code).join(' ')])
  for (const one of [subtitle, ...text]) if (one !== null && one !== '') texts.push([TEXT, one])
  return {
    texts,
    lat: position?.lat ?? null,
    lon: position?.lon ?? null,
    province: province_code === null ? 0 : Number(province_code),
    importance,
  }
}

/** Every name of a municipality: each half of a double one, and former and Castilian ones. */
export function municipalityNames(code: string): string[] {
  const name = municipalityByCode(code)?.name
  return name === undefined ? [] : [...name.split('/'), ...(MUNICIPALITY_ALIASES[code] ?? []), ...(SHORT_NAMES[code] ?? [])]
}

/** A title that names its municipality, with each other name of it. */
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

/** What people call towns in short. */
const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  '01059': ['Vitoria', 'Gasteiz'],
  '07040': ['Palma de Mallorca', 'Ciutat de Mallorca'],
  '08101': ['Hospitalet'],
  '15078': ['Santiago', 'Compostela'],
  '20069': ['Donosti'],
  '28134': ['Sanse'],
  '31201': ['Iruñea'],
  '35016': ['Las Palmas'],
  '38023': ['La Laguna'],
  '48020': ['Bilbo'],
}
