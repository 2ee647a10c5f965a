/**
 * Articles that official lists put after the name, in all languages: `Coruña, A`, `Palmas (Las)`, `Hospitalet de Llobregat, L'`.
 */
const ARTICLES = ['a', 'as', 'o', 'os', 'la', 'las', 'el', 'lo', 'los', 'les', 'els', 'l', 'es', 'sa', 'ses', 'na', 'illes', 'islas']
const INVERTED = /^(.*?)\s*(?:,\s*([^,()]+)|\(\s*([^()]+?)\s*\))$/u
const LEADING = new RegExp(`^(?:${ARTICLES.join('|')}) (?=.)`)

/** A name in comparable form: no accents or case, punctuation as one space (`L'Hospitalet` = `l hospitalet`, `l·l` = `ll`). */
export function foldName(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\p{M}·]+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
}

/**
 * The lookup keys of a name: the whole, each side of a slash (`València/Valencia`), and each with the part after a comma or in
 * brackets moved to the front (`Coruña, A`, `MURCIA (REGIÓN DE)`).
 */
export function nameKeys(text: string): string[] {
  const keys = new Set<string>()
  for (const part of text.includes('/') ? [text, ...text.split('/')] : [text]) {
    const match = INVERTED.exec(part.trim())
    if (match) keys.add(foldName(`${match[2] ?? match[3]} ${match[1]}`))
    keys.add(foldName(part))
  }
  keys.delete('')
  return [...keys]
}

/** A key without its leading article, for lists that omit it (`Puig` for `El Puig`). */
function withoutArticle(key: string): string {
  return key.replace(LEADING, '')
}

/** An index of codes by name. */
export interface NameIndex {
  /** The code for a name; null if no place or several match. */
  find(text: string): string | null
}

/** Builds an index of codes by all their names. A key shared by two codes finds neither, unless one has it with its article. */
export function indexNames(entries: Iterable<readonly [code: string, names: readonly string[]]>): NameIndex {
  const exact = new Map<string, string | null>()
  const loose = new Map<string, string | null>()
  const put = (map: Map<string, string | null>, key: string, code: string): void => {
    const other = map.get(key)
    map.set(key, other === undefined || other === code ? code : null)
  }
  for (const [code, names] of entries)
    for (const key of names.flatMap(nameKeys)) {
      put(exact, key, code)
      put(loose, withoutArticle(key), code)
    }
  return {
    find(text) {
      const keys = nameKeys(text)
      return one(keys, exact) ?? one(keys.map(withoutArticle), loose)
    },
  }
}

/** The code, if all keys agree on one. */
function one(keys: readonly string[], map: ReadonlyMap<string, string | null>): string | null {
  const codes = new Set(keys.map((key) => map.get(key)).filter((code) => typeof code === 'string'))
  return codes.size === 1 ? ([...codes][0] as string) : null
}
