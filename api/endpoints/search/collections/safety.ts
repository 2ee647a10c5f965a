import { accidentHotspots } from '../../../../lake/datasets/safety/hotspots.ts'
import { scan } from '../../../../lake/query/scan.ts'
import { sql } from '../../../../lake/query/sql.ts'
import type { Row } from '../../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../../lake/schema/physical.ts'
import { defineCachedQuery } from '../../../kernel/reads/cached-query.ts'
import { defineCollection, joinParts, townOf } from '../collection.ts'

/** The black spots in the default list. Its only key is the empty string. */
const shownHotspots = defineCachedQuery({
  name: 'hotspots of the search',
  from: [accidentHotspots],
  read: async ({ all }) =>
    await all<Row<typeof accidentHotspots>>(
      sql`SELECT * FROM ${scan(accidentHotspots)} WHERE hotspot_set LIKE '%.epanechnikov.250.none' ORDER BY hotspot_id`,
      tableColumns(accidentHotspots),
    ),
})

export const hotspotCollection = defineCollection({
  id: 'hotspots',
  title: 'Black spots',
  about: 'Places with a concentration of accidents, by the streets or roads that most of them name.',
  words: 'punto negro, puntos negros, tramo de concentracion de accidentes, hotspot, black spot',
  weights: { title: 2 },
  slices: { hotspots: shownHotspots },
  detail: '/api/accidentes/hotspots/{id}',
  documents: (_states, { hotspots }) =>
    hotspots.map(({ hotspot_id, streets, municipality_code, province_code, peak }) => ({
      id: hotspot_id,
      title: streets.join(' / ') || hotspot_id,
      subtitle: joinParts(['Punto negro', townOf(municipality_code) ?? municipality_code]),
      position: peak,
      province_code,
      municipality_code,
      importance: 0.15,
    })),
})
