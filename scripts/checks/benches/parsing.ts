import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { type Feed, FormatError } from '../../../jobs/feeds/define.ts'
import { collectDiagnostics } from '../../../jobs/ingest/diagnostics.ts'
import { rowChecker } from '../../../lake/schema/check-rows.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { WHOLE } from '../../stand-in/publisher.ts'
import { STAND_INS } from '../../stand-in/publishers/list.ts'
import { makeWorld } from '../../stand-in/world/world.ts'
import type { Bench } from './measure.ts'
import type { Done, Expected } from './work.ts'

const SEED = 7
/** A Saturday morning, fixed, so that the generated data is the same on every machine. */
export const DOCUMENTS_AT = Date.parse('2026-11-21T08:31:00Z')

/** The declaration of a bench of a feed's parser. */
interface ParseBench {
  readonly name: string
  readonly about: string
  readonly limit: number
  readonly feed: Feed
  /** The stand-in's names of the documents, one for each request of the feed's first plan. */
  readonly resources: readonly string[]
  /** Least number of rows in the documents. */
  readonly rows: number
  /** The bare parser that is the reference, and its expected counts. */
  readonly reference: { readonly expected: Expected; readonly parse: (bodies: readonly Buffer[]) => Done }
}

/**
 * A bench of a feed's complete processing between the bytes and the lake. Its documents are generated at full scale, so that it
 * needs no capture, and in a separate process, because the simulated world takes memory.
 */
export function parseBench({ name, about, limit, feed, resources, rows, reference }: ParseBench): Bench {
  return {
    name,
    about,
    limit,
    rounds: 15,
    async setUp(folder) {
      for (const [at, resource] of resources.entries()) await writeFile(join(folder, String(at)), generatedDocument(feed, resource))
    },
    async open(folder) {
      const documents = await Promise.all(resources.map((_, at) => readFile(join(folder, String(at)))))
      return {
        measured: { expected: { rows: { min: rows } }, run: async () => ({ rows: (await checkedRows(feed, documents)).length }) },
        reference: { expected: reference.expected, run: async () => reference.parse(documents) },
        async close() {},
      }
    },
  }
}

/** A document of a feed at full scale, as the stand-in writes it; the same bytes on every machine. */
export function generatedDocument(feed: Feed, resource: string): Buffer {
  const standIn = STAND_INS.find((one) => one.feed === feed.id)
  if (!standIn) throw new Error(`no stand-in serves ${feed.id}`)
  const publishedAt = standIn.publishedAt(SEED, DOCUMENTS_AT, resource)
  const written = standIn.write(makeWorld(SEED), { resource, publishedAt, stampedAt: publishedAt, variant: WHOLE })
  if (typeof written === 'object' && 'text' in written) throw new Error(`${feed.id}/${resource} is too large for memory`)
  return typeof written === 'string' ? Buffer.from(written) : written
}

/** Parses the documents of a feed's first plan and checks their rows. Throws if a row is invalid. */
export async function checkedRows(feed: Feed, documents: readonly Buffer[]): Promise<AnyRow[]> {
  const { diagnostics } = collectDiagnostics()
  const checks = new Map(feed.into.map((dataset) => [dataset.id, rowChecker(dataset, { unknownCode: diagnostics.unknownCode })]))
  const bodies = documents.map((bytes, at) => ({ name: feed.plans[0]?.requests[at]?.name ?? feed.id, bytes }))
  const good: AnyRow[] = []
  for await (const { dataset, rows } of feed.rows(bodies, { fetched_at: DOCUMENTS_AT }, diagnostics)) {
    const check = checks.get(dataset.id)
    for (const row of rows) {
      const reason = check?.(row)
      if (reason !== null) throw new FormatError(`a generated row of ${dataset.id} is invalid: ${reason}`)
      good.push(row)
    }
  }
  return good
}

/** The minimum cost of reading XML with saxes: the text is decoded, the handlers are almost empty. */
export function bareSaxes(bodies: readonly Buffer[]): Done {
  let tags = 0
  for (const bytes of bodies) {
    const parser = new SaxesParser()
    parser.on('opentag', () => {
      tags++
    })
    for (const event of ['text', 'closetag'] as const) parser.on(event, () => {})
    parser.write(bytes.toString('utf8')).close()
  }
  return { tags }
}
