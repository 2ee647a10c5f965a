import { mobilityZoneAreas } from '../../../lake/datasets/mobility/zone-areas.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { toWkb } from '../../../lake/query/wkb.ts'
import { type Columns, col } from '../../../lake/schema/columns.ts'
import { defineSlice } from '../../define/slice.ts'

interface Level {
  readonly study: string
  readonly zone_level: string
}

const levelKey = ({ study, zone_level }: Level): string => `${study}|${zone_level}`

/** What tells zones apart: ids of two levels may be alike, and those of two studies. */
export function zoneKey(zone: Level & { readonly zone_id: string }): string {
  return `${levelKey(zone)}|${zone.zone_id}`
}

/** The polygons of a zone, as well-known binary: a quarter of the memory that their coordinates take. */
export interface ZoneOutline {
  readonly wkb: Buffer
  readonly observed_at: number
}

const { study, zone_level, zone_id, edition, observed_at, outline } = mobilityZoneAreas.columns
const NEWEST = { study, zone_level, edition: col.string(1, 'Its newest edition.') } as const satisfies Columns
const OUTLINES = { study, zone_level, zone_id, edition, observed_at, outline } as const satisfies Columns

/** The outlines of zones (`zoneKey`), of each level of a study those of the newest edition that has it. */
export const zoneOutlines = defineSlice<ReadonlyMap<string, ZoneOutline>>({
  name: 'mobility zone outlines',
  from: [mobilityZoneAreas],
  most: 1,
  async read({ rows }) {
    const newest = new Map<string, string>()
    const editions = sql`SELECT study, zone_level, max(edition) AS edition FROM ${scan(mobilityZoneAreas)} GROUP BY ALL`
    for await (const batch of rows(editions, NEWEST))
      for (const row of batch) newest.set(levelKey(row as unknown as Level), row['edition'] as string)
    const outlines = new Map<string, ZoneOutline>()
    const query = sql`SELECT study, zone_level, zone_id, edition, observed_at, outline
      FROM ${scan(mobilityZoneAreas, { edition: { in: [...new Set(newest.values())] } })}`
    for await (const batch of rows(query, OUTLINES))
      for (const row of batch) {
        const key = { study: row['study'] as string, zone_level: row['zone_level'] as string, zone_id: row['zone_id'] as string }
        if (newest.get(levelKey(key)) !== row['edition']) continue
        outlines.set(zoneKey(key), { wkb: toWkb('multipolygon', 'outline', row['outline']), observed_at: row['observed_at'] as number })
      }
    return outlines
  },
})
