/** The labels of one code, by language (BCP 47). */
export interface CodeLabels {
  readonly es: string
  readonly en: string
}

/** A closed list of the known codes; feeds may still bring others, which are stored and counted. */
export interface CodeList {
  readonly id: string
  readonly about: string
  readonly codes: Readonly<Record<string, CodeLabels>>
}

/** Declares a code list. `labels` has the Spanish and English label of each code, in display order. */
export function defineCodes<const K extends string>(
  id: string,
  about: string,
  labels: Readonly<Record<K, CodeLabels | readonly [es: string, en: string]>>,
): CodeList & { readonly codes: Readonly<Record<K, CodeLabels>> } {
  const codes = {} as Record<K, CodeLabels>
  for (const code of Object.keys(labels) as K[]) {
    const label = labels[code]
    codes[code] = Object.freeze(Array.isArray(label) ? { es: label[0] as string, en: label[1] as string } : (label as CodeLabels))
  }
  return Object.freeze({ id, about, codes: Object.freeze(codes) })
}
