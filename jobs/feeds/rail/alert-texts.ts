import type { Translation } from '../../formats/gtfs-realtime.ts'

/** A hashtag of an alert's text: `#MadC3` is line C3 of Madrid's núcleo. */
export interface Hashtag {
  readonly tag: string
  readonly word: string
  /** Null for an unknown word. */
  readonly nucleo_code: string | null
  readonly line: string
}

/** An upper-case and lower-case letters, then the line, which starts with an upper-case letter and has a digit. */
const HASHTAG = /#(\p{Lu}\p{Ll}+)(\p{Lu}+\d+[A-Za-z]?)(?![\p{L}\p{N}])/gu
/** Núcleos by the words seen in captures. Others are stored and counted. */
const NUCLEOS: ReadonlyMap<string, string> = new Map([['Mad', '10']])

/**
 * Each text once, sorted by language and text: publications differ in the order of translations and may repeat a language.
 * Runs of blanks become one.
 */
export function normalised(translations: readonly Translation[]): Translation[] {
  const texts = new Map<string, Translation>()
  for (const { language, text } of translations) {
    const words = text.replace(/\s+/g, ' ').trim()
    texts.set(`${language ?? ''}\u001f${words}`, { language, text: words })
  }
  return [...texts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, translation]) => translation)
}

/** The longest Spanish text; a text without a language counts as Spanish if there is no other. */
export function spanishOf(texts: readonly Translation[]): string | null {
  const spanish = texts.filter(({ language }) => language?.split('-')[0]?.toLowerCase() === 'es')
  const candidates = spanish.length > 0 ? spanish : texts.filter(({ language }) => language === null)
  return candidates.reduce<string | null>((longest, { text }) => (text.length > (longest?.length ?? 0) ? text : longest), null)
}

/** The hashtags of texts, each once, in order of their first mention. */
export function hashtagsOf(texts: readonly Translation[]): Hashtag[] {
  const found = new Map<string, Hashtag>()
  for (const { text } of texts)
    for (const [tag, word, line] of text.matchAll(HASHTAG))
      if (!found.has(tag))
        found.set(tag, { tag, word: word as string, nucleo_code: NUCLEOS.get(word as string) ?? null, line: line as string })
  return [...found.values()]
}
