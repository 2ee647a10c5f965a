import { DatabaseSync } from 'node:sqlite'
import type { SearchDocument } from '../../../api/endpoints/search/collection.ts'
import { searchList } from '../../../api/endpoints/search/search.ts'
import { orderOf } from '../../../api/engine/request/paging.ts'
import { wordsOf } from '../../../api/features/search/fold.ts'
import type { SearchIndex } from '../../../api/features/search/search-index.ts'
import type { ListReturn } from '../../../api/kernel/endpoint.ts'
import { judgedQueries } from '../../../test/api/features/search/relevance.ts'
import { emptyIndex, worldDocuments } from '../../../test/api/features/search/world-index.ts'
import { diceOf, pick } from '../../stand-in/random.ts'
import { makeWorld } from '../../stand-in/world/world.ts'
import type { Bench, Pair, Timer, Work } from './measure.ts'

const SEED = 1
const DOCUMENTS = 60_000
/** Searches at the same time. */
const AT_ONCE = 4
const PAIRS = 1000
const BUILD_MS = 5000
const INDEX_MB = 250
/** Hits per page. */
const SHOWN = 20
/** Longest time for which the build may block the event loop, ms of processor time. */
const LOOP_MS = 100
/** Repetitions of each judged query in a round. */
const ROUNDS_OF_QUERIES = 5

type Documents = ReadonlyMap<string, readonly SearchDocument[]>

/** The documents of the simulated world, plus generated filling stations of other towns up to the required number. */
function documentsOf(): Documents {
  const documents = new Map(worldDocuments(makeWorld(SEED)))
  const stations = documents.get('gas-stations') as readonly SearchDocument[]
  const towns = documents.get('municipalities') as readonly SearchDocument[]
  const there = documents.values().reduce((sum, { length }) => sum + length, 0)
  const more = Array.from({ length: Math.max(0, DOCUMENTS - there) }, (_, nth): SearchDocument => {
    const [station, town] = [stations[nth % stations.length], towns[(nth * 7919) % towns.length]] as [SearchDocument, SearchDocument]
    const { title, position, province_code, id } = town
    return {
      ...{ ...station, position, province_code, municipality_code: id, id: `more-${nth}` },
      title: `${station.title.split(', ')[0]}, ${title}`,
    }
  })
  return documents.set('gas-stations', [...stations, ...more])
}

async function fill(index: SearchIndex, documents: Documents): Promise<void> {
  for (const [id, own] of documents) await index.replace(id, own)
}

const usedMb = (): number => process.memoryUsage().heapUsed / 1e6

/** An index of the documents, and the memory that it uses in this process and in its thread, MB. */
async function filledIndex(documents: Documents): Promise<{ readonly index: SearchIndex; readonly mb: number }> {
  const before = usedMb()
  const index = emptyIndex()
  await fill(index, documents)
  return { index, mb: Math.max(1, usedMb() - before) + (await index.memory()) / 1e6 }
}

/** The same documents in SQLite's full-text index, with prefixes of two and three letters. */
function sqliteOf(documents: Documents): (q: string) => number {
  const db = new DatabaseSync(':memory:')
  db.exec("CREATE VIRTUAL TABLE found USING fts5(title, names, texts, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')")
  const insert = db.prepare('INSERT INTO found VALUES (?, ?, ?)')
  db.exec('BEGIN')
  for (const own of documents.values())
    for (const { title, names = [], subtitle, text = [], codes = [] } of own)
      insert.run(title, names.join(' '), [subtitle, ...text, ...codes].filter((one) => one).join(' '))
  db.exec('COMMIT')
  const select = db.prepare('SELECT rowid FROM found WHERE found MATCH ? ORDER BY bm25(found, 4.0, 4.0, 1.0) LIMIT ?')
  return (q) => {
    const words = wordsOf(q).map((word) => `"${word}"*`)
    return words.length === 0 ? 0 : select.all(words.join(' '), SHOWN).length
  }
}

/** Runs each query once, so many at the same time; the slowest hundredth counts. */
function asking(queries: readonly string[], ask: (q: string) => Promise<number>, atOnce: number): Work {
  return {
    expected: { queries: queries.length, found: { min: queries.length / 2 } },
    slowestHundredth: true,
    async run(timer: Timer) {
      let found = 0
      const left = queries.values()
      const one = async (): Promise<void> => {
        for (const q of left) {
          const hits = await timer.part(() => ask(q))
          found += Math.min(1, hits)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, one))
      return { queries: queries.length, found }
    },
  }
}

/** Searches the same documents in the index and in SQLite. */
async function searching(queriesOf: (documents: Documents) => string[], how: 'search' | 'suggest', atOnce = 1): Promise<Pair> {
  const documents = documentsOf()
  const queries = queriesOf(documents)
  const { index, mb } = await filledIndex(documents)
  const page = { order: orderOf(searchList.returns as ListReturn, null), after: null, limit: SHOWN }
  const ask = async (q: string): Promise<number> =>
    (await index[how]({ q, collections: null, region: null, near: null }, page)).records.length
  const sqlite = sqliteOf(documents)
  return {
    measured: asking(queries, ask, atOnce),
    reference: asking(queries, async (q) => sqlite(q), atOnce),
    peak_mb: () => mb,
    close: () => index.close(),
  }
}

/** Queries as people type them, letter by letter. */
function typed(): string[] {
  return judgedQueries().flatMap(({ q }, nth) => (nth % 4 === 0 ? Array.from(q, (_, at) => q.slice(0, at + 1)) : []))
}

/** Runs work and returns the longest time for which it blocked the event loop, ms of processor time. */
async function longestStretch(work: () => Promise<void>): Promise<number> {
  const used_ms = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let [last, longest] = [used_ms(), 0]
  const timer = setInterval(() => {
    const now = used_ms()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  await work()
  clearInterval(timer)
  return longest
}

/** Two words of names of documents, mostly of the same one; the second is unfinished. */
function pairs(documents: Documents): string[] {
  const dice = diceOf(SEED, 'pairs')
  const named = [...documents.values()].flat().map(({ title, names = [] }) => wordsOf([title, ...names].join(' ')))
  const all = named.filter(({ length }) => length > 0)
  return Array.from({ length: PAIRS }, () => {
    const own = pick(all, dice())
    const last = pick(dice() < 0.25 ? pick(all, dice()) : own, dice())
    return `${pick(own, dice())} ${last.slice(0, Math.max(2, Math.floor(0.6 * last.length)))}`
  })
}

/** A bench of searches whose slowest hundredth has a limit. */
function searchBench(
  name: string,
  about: string,
  { limit_ms, rounds = 5, open }: { readonly limit_ms: number; readonly rounds?: number; readonly open: () => Promise<Pair> },
): Bench {
  return {
    name: `search/${name}`,
    about: `the slowest hundredth of ${about} over ${DOCUMENTS} documents, at most ${limit_ms} ms, against SQLite FTS5 on the same; memory of the index`,
    ...{ limit: 0, orAtMost_ms: limit_ms, limit_mb: INDEX_MB, rounds, open },
  }
}

/** Whole queries, random pairs of words several at the same time, and suggestions for each typed letter. */
const SEARCHES: readonly Bench[] = [
  searchBench('query', 'the judged queries', {
    limit_ms: 20,
    open: () => searching(() => Array.from({ length: ROUNDS_OF_QUERIES }, () => judgedQueries().map(({ q }) => q)).flat(), 'search'),
  }),
  searchBench('pairs', `${PAIRS} queries of two words, the second unfinished, ${AT_ONCE} at a time`, {
    limit_ms: 15,
    open: () => searching(pairs, 'search', AT_ONCE),
  }),
  searchBench('suggest', 'suggestions, letter by letter,', { limit_ms: 10, rounds: 3, open: () => searching(typed, 'suggest') }),
]

/** Builds the whole index off the event loop. */
const searchBuild: Bench = {
  name: 'search/build',
  about: `an index of ${DOCUMENTS} documents in less than ${BUILD_MS / 1000} s, without blocking the event loop`,
  limit: 1,
  rounds: 5,
  async open() {
    const documents = documentsOf()
    return {
      measured: {
        expected: { documents: DOCUMENTS },
        async run() {
          const index = emptyIndex()
          const longest_ms = await longestStretch(() => fill(index, documents))
          const counted = index
            .views()
            .of('ENTERPRISE')
            .collections.reduce((sum, one) => sum + (one.documents ?? 0), 0)
          await index.close()
          if (longest_ms > LOOP_MS) throw new Error(`the event loop was blocked for ${Math.round(longest_ms)} ms`)
          return { documents: counted }
        },
      },
      reference: { limit_ms: BUILD_MS },
      close: async () => {},
    }
  },
}

/** Searches over 60,000 documents, and the build of their index. */
export const SEARCH: readonly Bench[] = [...SEARCHES, searchBuild]
