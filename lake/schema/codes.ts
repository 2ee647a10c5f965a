/** Languages besides Spanish and English in which some lists have labels (BCP 47). */
const CO_OFFICIAL = ['ca', 'eu', 'gl'] as const

/** The labels of one code, by language (BCP 47). */
export interface CodeLabels {
  readonly es: string
  readonly en: string
  readonly ca?: string
  readonly eu?: string
  readonly gl?: string
}

/** Labels as declared: Spanish and English, and for lists in all official languages Catalan, Basque and Galician. */
type Declared = CodeLabels | readonly [es: string, en: string] | readonly [es: string, en: string, ca: string, eu: string, gl: string]

/** A closed list of the known codes; feeds may still bring others, which are stored and counted. */
export interface CodeList {
  readonly id: string
  readonly about: string
  readonly codes: Readonly<Record<string, CodeLabels>>
}

/** Languages of a list: those in which every code has a label. */
export function languagesOf({ codes }: CodeList): readonly (keyof CodeLabels)[] {
  const all = Object.values(codes)
  return ['es', 'en', ...CO_OFFICIAL.filter((language) => all.every((labels) => labels[language] !== undefined))]
}

/** Declares a code list. `labels` has the labels of each code, in display order. */
export function defineCodes<const K extends string>(
  id: string,
  about: string,
  labels: Readonly<Record<K, Declared>>,
): CodeList & { readonly codes: Readonly<Record<K, CodeLabels>> } {
  const codes = {} as Record<K, CodeLabels>
  for (const code of Object.keys(labels) as K[]) {
    const label: Declared = labels[code]
    codes[code] = Object.freeze(isTuple(label) ? labelsOf(label) : label)
  }
  return Object.freeze({ id, about, codes: Object.freeze(codes) })
}

function isTuple(declared: Declared): declared is Exclude<Declared, CodeLabels> {
  return Array.isArray(declared)
}

function labelsOf([es, en, ca, eu, gl]: Exclude<Declared, CodeLabels>): CodeLabels {
  return ca === undefined || eu === undefined || gl === undefined ? { es, en } : { es, en, ca, eu, gl }
}
