import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { adsbLolPositions, CIRCLE_NM, CIRCLES } from '../../../jobs/feeds/aviation/adsb-lol.ts'
import { type Feed, FormatError } from '../../../jobs/feeds/define.ts'
import { fuelStationsFeed } from '../../../jobs/feeds/fuel/stations.ts'
import { dgtDetectorSites, dgtDetectors } from '../../../jobs/feeds/road/dgt-detectors.ts'
import { dgtIncidentsFeed } from '../../../jobs/feeds/road/dgt-incidents.ts'
import { madridTraffic } from '../../../jobs/feeds/road/madrid-traffic.ts'
import { collectDiagnostics } from '../../../jobs/ingest/diagnostics.ts'
import { rowChecker } from '../../../lake/schema/check-rows.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { WHOLE } from '../../stand-in/publisher.ts'
import { STAND_INS } from '../../stand-in/publishers/list.ts'
import { makeWorld } from '../../stand-in/world/world.ts'
import type { Bench } from './measure.ts'

const SEED = 7
/** A Saturday morning, fixed, so that the generated data is the same on every machine. */
export const DOCUMENTS_AT = Date.parse('2026-11-21T08:31:00Z')

/** A feed's parser against a bare parser of the same bytes. */
interface Parser {
  readonly name: string
  readonly feed: Feed
  readonly limit: number
  /** Least number of rows in the documents. */
  readonly rows: number
  /** The stand-in's names of the documents, one for each request of the feed's first plan. */
  readonly resources?: readonly string[]
  /** The bare parser, and the least of what it counts. */
  readonly bare: (bodies: readonly Buffer[]) => number
  readonly counted: number
}

/** XML against saxes with empty handlers, JSON against JSON.parse. */
const PARSERS: readonly Parser[] = [
  { name: 'dgt', feed: dgtIncidentsFeed, limit: 2.5, rows: 400, bare: bareSaxes, counted: 25_000 },
  { name: 'madrid', feed: madridTraffic, limit: 2.5, rows: 12_000, resources: ['pm'], bare: bareSaxes, counted: 75_000 },
  { name: 'detectors', feed: dgtDetectors, limit: 2.5, rows: 4500, bare: bareSaxes, counted: 200_000 },
  { name: 'detector-sites', feed: dgtDetectorSites, limit: 2.5, rows: 5000, bare: bareSaxes, counted: 150_000 },
  { name: 'fuel', feed: fuelStationsFeed, limit: 3, rows: 55_000, bare: (bodies) => bareJson(bodies, 'ListaEESSPrecio'), counted: 12_000 },
  {
    ...{ name: 'aircraft', feed: adsbLolPositions, limit: 3, rows: 250, bare: (bodies) => bareJson(bodies, 'ac'), counted: 500 },
    resources: Object.values(CIRCLES).map(({ lat, lon }) => `${lat}/${lon}/${CIRCLE_NM}`),
  },
]

/**
 * The complete processing of a feed between the bytes and the lake. Documents are generated at full scale, so that no capture is
 * needed, and in a separate process, because the simulated world takes memory.
 */
export const PARSING: readonly Bench[] = PARSERS.map(({ name, feed, limit, rows, resources = ['national'], bare, counted }) => ({
  name: `parse/${name}`,
  about: `a publication of ${feed.id} to checked rows, against ${bare === bareSaxes ? 'saxes with empty handlers' : 'JSON.parse'}`,
  limit,
  rounds: 15,
  async setUp(folder) {
    for (const [at, resource] of resources.entries()) await writeFile(join(folder, String(at)), generatedDocument(feed, resource))
  },
  async open(folder) {
    const documents = await Promise.all(resources.map((_, at) => readFile(join(folder, String(at)))))
    return {
      measured: { expected: { rows: { min: rows } }, run: async () => ({ rows: (await checkedRows(feed, documents)).length }) },
      reference: { expected: { counted: { min: counted } }, run: async () => ({ counted: bare(documents) }) },
      async close() {},
    }
  },
}))

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
async function checkedRows(feed: Feed, documents: readonly Buffer[]): Promise<AnyRow[]> {
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

/** The tags of documents: the minimum cost of reading XML with saxes, with almost empty handlers. */
function bareSaxes(bodies: readonly Buffer[]): number {
  let tags = 0
  for (const bytes of bodies) {
    const parser = new SaxesParser()
    parser.on('opentag', () => {
      tags++
    })
    for (const event of ['text', 'closetag'] as const) parser.on(event, () => {})
    parser.write(bytes.toString('utf8')).close()
  }
  return tags
}

/** The records in a list of each document. */
function bareJson(bodies: readonly Buffer[], list: string): number {
  return bodies.reduce((sum, bytes) => sum + Number((JSON.parse(bytes.toString('utf8')) as Record<string, unknown[]>)[list]?.length), 0)
}
