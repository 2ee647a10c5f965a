import { accidentHotspots } from '../../../lake/datasets/safety/hotspots.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { hotspotsInThread } from '../../../models/hotspots/in-thread.ts'
import { type HotspotSet, type HotspotsGiven, hotspotSets } from '../../../models/hotspots/sets.ts'
import { defineDerived } from '../define.ts'

/**
 * Black spots of each source with positions, for every parameter set. Takes some minutes of one core, so it runs at night in a
 * thread.
 */
export const hotspotsDerived = defineDerived({
  by: 'model',
  into: accidentHotspots,
  from: [roadAccidents],
  revision: 2,
  isNightly: true,
  waitsForParts: true,
  parts: (editions) => hotspotSets(editions).map(({ name, editions: from }) => ({ version: name, from })),
  reads: ({ from }) => sql`
    SELECT * FROM ${scan(roadAccidents, { edition: { in: from } })}
    WHERE is_casualty
    ORDER BY edition, accident_id`,
  rows: async ({ version, from }, { given, before, signal }) => {
    const set = hotspotSets(from).find(({ name }) => name === version) as HotspotSet
    const found = await hotspotsInThread(set, {
      accidents: given as unknown as HotspotsGiven['accidents'],
      before: before as unknown as HotspotsGiven['before'],
      signal,
    })
    return found as unknown as AnyRow[]
  },
})
