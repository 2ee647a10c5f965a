import { mobilityZoneAreas } from '../../../lake/datasets/mobility/zone-areas.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { type Columns, col } from '../../../lake/schema/columns.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'

interface Level {
  readonly study: string
  readonly zone_level: string
}

/** Key of a zone level: each study has its own. */
export const levelKey = ({ study, zone_level }: Level): string => `${study}|${zone_level}`

/** Key of a zone: ids may repeat between levels and between studies. */
export function zoneKey(zone: Level & { readonly zone_id: string }): string {
  return `${levelKey(zone)}|${zone.zone_id}`
}

/** The polygons of a zone as WKB, which takes a quarter of the memory of coordinates. */
export interface ZoneOutline {
  readonly wkb: Buffer
  readonly observed_at: number
}

/** Polygons of zones. */
export interface ZoneOutlines {
  /** By zone (`zoneKey`): for each level of a study, the polygons of its newest edition. */
  readonly outlines: ReadonlyMap<string, ZoneOutline>
  /** When that edition was fetched, by level (`levelKey`). */
  readonly observed_at: ReadonlyMap<string, number>
}

const { study, zone_level, zone_id, edition, observed_at } = mobilityZoneAreas.columns
const NEWEST = { study, zone_level, edition: col.string(1, 'Its newest edition.') } as const satisfies Columns
/** Without a declared outline column: undeclared columns arrive as raw bytes. */
const OUTLINES = { study, zone_level, zone_id, edition, observed_at } as const satisfies Columns

/** The outlines of zones, of the newest editions. */
export const zoneOutlines = defineCachedQuery<ZoneOutlines>({
  name: 'mobility zone outlines',
  from: [mobilityZoneAreas],
  maxEntries: 1,
  async read({ rows, all }) {
    const editions = sql`SELECT study, zone_level, max(edition) AS edition FROM ${scan(mobilityZoneAreas)} GROUP BY ALL`
    const newest = new Map((await all(editions, NEWEST)).map((row) => [levelKey(row), row.edition]))
    const found = { outlines: new Map<string, ZoneOutline>(), observed_at: new Map<string, number>() }
    const query = sql`SELECT study, zone_level, zone_id, edition, observed_at, outline
      FROM ${scan(mobilityZoneAreas, { edition: { in: [...new Set(newest.values())] } })}`
    for await (const batch of rows(query, OUTLINES))
      for (const row of batch) {
        const zone = { study: row['study'] as string, zone_level: row['zone_level'] as string, zone_id: row['zone_id'] as string }
        if (newest.get(levelKey(zone)) !== row['edition']) continue
        const at = row['observed_at'] as number
        found.outlines.set(zoneKey(zone), { wkb: row['outline'] as Buffer, observed_at: at })
        found.observed_at.set(levelKey(zone), at)
      }
    return found
  },
})
