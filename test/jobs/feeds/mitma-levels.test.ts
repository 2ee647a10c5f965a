import { describe, expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { ZONE_FILES } from '../../../jobs/feeds/mobility/mitma-files.ts'
import { mitmaZoneAreas } from '../../../jobs/feeds/mobility/mitma-zone-areas.ts'
import { mitmaZonePoints } from '../../../jobs/feeds/mobility/mitma-zone-points.ts'
import { groupFactsOf, groupsAfter, ruleOf } from '../../../jobs/ingest/completeness-groups.ts'
import { type Before, judge, type Verdict } from '../../../jobs/ingest/guard.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'
import { dbfTable, shapePoints, shapePolygons } from '../../../scripts/stand-in/formats/shapefile.ts'
import { deepTest } from '../../helpers/tier.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 9, 15)
/** Zones of each level, in the proportions of the recorded files. */
const WHOLE = { distritos: 390, municipios: 273, gaus: 220 }

type Counts = Partial<Record<keyof typeof WHOLE, number>>

function filesOf(feed: Feed, counts: Counts) {
  return Object.entries(counts).flatMap(([word, count]) => {
    const corners = Array.from({ length: count }, (_, at) => ({ x: 400_000 + 1000 * (at % 30), y: 4_400_000 + 1000 * Math.floor(at / 30) }))
    const triangle = ({ x, y }: { x: number; y: number }) =>
      [
        [x, y],
        [x, y + 900],
        [x + 900, y],
        [x, y],
      ] as const
    const ids = corners.map((_, at) => [`${at}`])
    return [
      { name: `${word}.dbf`, bytes: dbfTable(['ID'], ids) },
      {
        name: `${word}.shp`,
        bytes: feed === mitmaZonePoints ? shapePoints(corners) : shapePolygons(corners.map((one) => [triangle(one)])),
      },
    ]
  })
}

const parsed = new Map<string, Promise<Publication>>()

function publicationOf(feed: Feed, counts: Counts): Promise<Publication> {
  const key = `${feed.id} ${JSON.stringify(counts)}`
  const made = parsed.get(key) ?? parsePublication(feed, filesOf(feed, counts), START)
  parsed.set(key, made)
  return made
}

/** The guard's verdicts of publications, each a week after the one before. */
async function verdictsOn(feed: Feed, publications: readonly Counts[]): Promise<Verdict[]> {
  const id = feed.into[0]?.id as string
  let before: Before | null = null
  let state = { counts: {}, missing: [] as readonly string[], lost_at: {}, had_at: {} }
  const verdicts: Verdict[] = []
  for (const [nth, counts] of publications.entries()) {
    const at = START + 7 * DAY * nth
    const publication = { ...(await publicationOf(feed, counts)), data_time: at, fetched_at: at }
    const verdict = judge(feed, publication, before)
    verdicts.push(verdict)
    if (verdict.kind !== 'accept') continue
    const last = {
      data_time: new Date(at).toISOString(),
      rows: Object.fromEntries(publication.counts),
      blocks: publication.blocks,
      said_missing: publication.report.missingBlocks,
    } as unknown as AcceptedFetch
    state = groupsAfter(ruleOf(feed, id), state, { ...groupFactsOf(last, id), at, before_at: null })
    before = { last, missing: state.missing.length > 0 ? { [id]: state.missing } : {} }
  }
  return verdicts
}

describe.each([mitmaZoneAreas, mitmaZonePoints])('$id', (feed) => {
  const { gaus, ...others } = WHOLE
  const id = feed.into[0]?.id as string
  const MISSING = { kind: 'accept', missing: { [id]: ['GAU'] } }
  const ALL = { kind: 'accept', missing: {} }

  test('levels may come and go whole: publications are compared by those that both have', async () => {
    expect(await verdictsOn(feed, [others, WHOLE, others, others, WHOLE, WHOLE])).toEqual([MISSING, ALL, MISSING, MISSING, ALL, ALL])
    expect(feed.plans.map(({ requests }) => requests.length / 2)).toEqual([ZONE_FILES.length, ZONE_FILES.length - 1])
  })

  deepTest('half of a level, or twice of it, is refused, whether another one comes, goes or stays', async () => {
    const halves = [
      { ...WHOLE, distritos: 195 },
      { ...WHOLE, municipios: 136 },
      { ...others, municipios: 136 },
      { ...WHOLE, gaus: 110 },
      { ...WHOLE, distritos: 780 },
      { ...others, municipios: 546 },
    ]
    for (const half of halves) expect((await verdictsOn(feed, [WHOLE, half])).map(({ kind }) => kind)).toEqual(['accept', 'reject'])
    const [, verdict] = await verdictsOn(feed, [others, { ...WHOLE, municipios: 136 }])
    expect(verdict).toMatchObject({ kind: 'reject', reason: `${id}: 526 rows after 663, 79.3 % of them where at least 90.0 % is usual` })
  })
})
