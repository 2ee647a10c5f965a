import { feedById } from '../../../../jobs/feeds/catalog.ts'
import { parsePublication } from '../../../../jobs/ingest/parse.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { WHOLE } from '../../../../scripts/stand-in/publisher.ts'
import { STAND_INS } from '../../../../scripts/stand-in/publishers/list.ts'
import { makeWorld } from '../../../../scripts/stand-in/world/world.ts'

/** The present time. */
export const AT = Date.parse('2026-10-26T12:30:00Z')
const world = makeWorld(1, 'small')

/** The rows of a dataset that the stand-in of a feed publishes at an instant. */
export async function published(id: string, dataset: Dataset, at = AT): Promise<AnyRow[]> {
  const standIn = STAND_INS.find(({ feed }) => feed === id)
  const feed = feedById(id)
  const bodies = (feed.plans[0]?.requests ?? []).map(({ name, url }) => {
    const { pathname, searchParams } = new URL(url)
    const route = standIn?.route(pathname, searchParams)
    if (typeof route !== 'string') throw new Error(`${url} is no document of ${id}`)
    const written = standIn?.write(world, { resource: route, publishedAt: at, stampedAt: at, variant: WHOLE })
    return { name, bytes: Buffer.from(written as string | Buffer) }
  })
  const { rows } = await parsePublication(feed, bodies, at, { keeps: () => true })
  return rows.get(dataset.id) ?? []
}

/** The same as rows of the current state. */
export async function liveRows(id: string, dataset: Dataset, at = AT): Promise<AnyRow[]> {
  const rows = await published(id, dataset, at)
  return rows.map((row) => ({ observed_at: at, ...row, status: 'ACTIVE', updated_at: at, is_stale: false }))
}
