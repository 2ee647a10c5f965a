import { expect } from 'vitest'
import { dgtIncidentsFeed } from '../../../jobs/feeds/road/dgt-incidents.ts'
import { judge } from '../../../jobs/ingest/guard.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'
import { WHOLE } from '../../../scripts/stand-in/publisher.ts'
import { STAND_INS } from '../../../scripts/stand-in/publishers/list.ts'
import { makeWorld } from '../../../scripts/stand-in/world/world.ts'
import { deepTest } from '../../helpers/tier.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOON = Date.UTC(2026, 10, 18, 12)

const world = makeWorld(7)
const dgt = STAND_INS.find(({ feed }) => feed === 'dgt_incidents') as (typeof STAND_INS)[number]

/** DGT's publication at an instant, or a share of it. */
async function publication(at: number, share = 1): Promise<Publication> {
  const text = dgt.write(world, { resource: 'situations', publishedAt: at, stampedAt: at, variant: { ...WHOLE, share } }) as string
  return parsePublication(dgtIncidentsFeed, [{ name: 'situations', bytes: Buffer.from(text) }], at)
}

/** The guard's verdict of a publication that follows another. */
function verdict(before: Publication, after: Publication): string {
  const rows = Object.fromEntries([...before.rows].map(([id, list]) => [id, list.length]))
  const last = { data_time: new Date(before.data_time).toISOString(), rows, blocks: {} } as unknown as AcceptedFetch
  const { kind, reason = '' } = { reason: '', ...judge(dgtIncidentsFeed, after, { last, missing: {} }) }
  return `${kind} ${reason}`.trim()
}

deepTest('at any time of day, half of the incidents are no publication, and the publication after an outage is one', async () => {
  const day = await Promise.all(Array.from({ length: 9 }, (_, nth) => publication(NOON + nth * 3 * HOUR)))
  for (const [nth, before] of day.entries()) {
    const half = await publication(before.data_time + MINUTE, 0.5)
    expect(verdict(before, half)).toMatch(/^reject incidents: \d+ rows after \d+/)
    for (const after of [await publication(before.data_time + 30 * MINUTE), ...day.slice(nth + 1)])
      expect(verdict(before, after)).toBe('accept')
  }
})
