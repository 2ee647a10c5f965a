import { accidentHotspots } from '../../../lake/datasets/safety/hotspots.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { type HotspotSet, hotspotSets, hotspotsOf } from '../../../models/hotspots/sets.ts'
import { defineDerived } from '../define.ts'

type Given = Parameters<typeof hotspotsOf>[1]

/** Black spots of each source with positions, for every set of parameters. */
export const hotspotsDerived = defineDerived({
  by: 'model',
  into: accidentHotspots,
  from: [roadAccidents],
  revision: 1,
  parts: (editions) => hotspotSets(editions).map(({ name, editions: from }) => ({ version: name, from })),
  reads: ({ from }) => sql`
    SELECT * FROM ${scan(roadAccidents, { edition: { in: from } })}
    WHERE is_casualty
    ORDER BY edition, accident_id`,
  rows: async ({ version, from }, { given, before, signal }) => {
    const set = hotspotSets(from).find(({ name }) => name === version) as HotspotSet
    const found = await hotspotsOf(set, {
      accidents: given as unknown as Given['accidents'],
      before: before as unknown as Given['before'],
      signal,
    })
    return found as unknown as AnyRow[]
  },
})
