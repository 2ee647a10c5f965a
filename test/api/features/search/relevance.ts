import { readFileSync } from 'node:fs'

/** A query, and the meaning of the person who types it. */
export interface Judged {
  readonly q: string
  readonly collection: string
  /** Titles of the intended results; `*` stands for any text. */
  readonly titles: readonly string[]
}

/** The judged queries of `relevance.tsv`. */
export function judgedQueries(): Judged[] {
  return readFileSync(new URL('./relevance.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [q, collection, titles] = line.split('\t') as [string, string, string]
      return { q, collection, titles: titles.split('|') }
    })
}

/** True for an intended hit. */
export function isMeant({ collection, titles }: Judged, hit: { readonly collection: string; readonly title: string }): boolean {
  if (hit.collection !== collection) return false
  return titles.some((title) => {
    const [begin, end] = title.split('*') as [string, string | undefined]
    return end === undefined ? hit.title === title : hit.title.startsWith(begin) && hit.title.endsWith(end)
  })
}
