import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { dgtIncidentsFeed } from '../../../jobs/feeds/road/dgt-incidents.ts'
import type { Measure } from '../../../jobs/feeds/road/incident-measure.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { incidents } from '../../../lake/datasets/road/incidents.ts'
import type { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'

export type IncidentRow = FeedRow<typeof incidents> & { readonly measures: readonly Measure[] }
export type BeaconRow = FeedRow<typeof v16Beacons>

/** The hand-written document of a profile. */
export function fixture(profile: 'v36' | 'v37'): string {
  return readFileSync(fileURLToPath(new URL(`../../fixtures/dgt_incidents/situations-${profile}.xml`, import.meta.url)), 'utf8')
}

/** A document with some of its text replaced; fails if the text is absent, so that no test passes by accident. */
export function changed(document: string, ...changes: readonly (readonly [from: string | RegExp, to: string])[]): string {
  return changes.reduce((text, [from, to]) => {
    const next = text.replace(from, to)
    if (next === text) throw new Error(`the document has no ${from}`)
    return next
  }, document)
}

/** The feed's result for a document, by the real pipeline's parser and row checks. */
export async function readDgt(
  document: string | Buffer,
  fetchedAt = Date.parse('2026-11-01T00:00:00Z'),
): Promise<{ publication: Publication; incidents: IncidentRow[]; beacons: BeaconRow[]; warnings: Record<string, number> }> {
  const bytes = typeof document === 'string' ? Buffer.from(document) : document
  const publication = await parsePublication(dgtIncidentsFeed, [{ name: 'situations', bytes }], fetchedAt)
  return {
    publication,
    incidents: publication.rows.get('incidents') as unknown as IncidentRow[],
    beacons: publication.rows.get('v16_beacons') as unknown as BeaconRow[],
    warnings: Object.fromEntries(publication.report.warnings),
  }
}

/** The recorded publication of January 2026; null where captures are absent. */
export function captureOfJanuary(): Buffer | null {
  const shared = sharedFolder()
  if (shared === null) return null
  return gunzipSync(readFileSync(`${shared}/feeds/dgt-datex2/situation_datex2_v36_20260102T132328+0100.xml.gz`))
}

/** How often each value occurs. */
export function counts(values: Iterable<string | null>): Record<string, number> {
  const found: Record<string, number> = {}
  for (const value of values) found[String(value)] = (found[String(value)] ?? 0) + 1
  return found
}
