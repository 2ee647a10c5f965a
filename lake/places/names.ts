/** Articles that official lists put behind the name, in all languages: `Coruña, A`, `Palmas (Las)`, `Hospitalet de Llobregat, L'`. */
const ARTICLES = ['a', 'as', 'o', 'os', 'la', 'las', 'el', 'lo', 'los', 'les', 'els', 'l', 'es', 'sa', 'ses', 'na', 'illes', 'islas']
const INVERTED = /^(.*?)\s*(?:,\s*([^,()]+)|\(\s*([^()]+?)\s*\))$/u
const LEADING = new RegExp(`^(?:${ARTICLES.join('|')}) (?=.)`)

/** A name as it can be compared: no accents, no case, punctuation as one blank (`L'Hospitalet` = `l hospitalet`, `l·l` = `ll`). */
export function foldName(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\p{M}·]+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
}

/**
 * The keys under which a name is found: the whole, each side of a slash (`València/Valencia`), and each with what stands behind a comma
 * or in brackets brought to the front (`Coruña, A`, `MURCIA (REGIÓN DE)`).
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

/** A key without its leading article, for lists that leave it out (`Puig` for `El Puig`). */
function withoutArticle(key: string): string {
  return key.replace(LEADING, '')
}

/** Names to find codes by. */
export interface NameIndex {
  /** The code of a name; null where no name or more than one place answers to it. */
  find(text: string): string | null
}

/** Builds an index of codes by all their names; a key that two codes share finds neither, unless one bears it with its article. */
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

/** The one code that the keys agree on. */
function one(keys: readonly string[], map: ReadonlyMap<string, string | null>): string | null {
  const codes = new Set(keys.map((key) => map.get(key)).filter((code) => typeof code === 'string'))
  return codes.size === 1 ? ([...codes][0] as string) : null
}
