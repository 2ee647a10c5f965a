import { municipalityRegister } from '../../../lake/datasets/road/municipality-register.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'

/** Inhabitants by INE code of municipality and province, of the newest edition. Its only key is the empty string. */
export const inhabitants = defineCachedQuery<Register>({
  name: 'inhabitants',
  from: [municipalityRegister],
  maxEntries: 1,
  async read({ all }) {
    const newest = sql`(SELECT max(edition) FROM ${scan(municipalityRegister)})`
    const query = sql`SELECT * FROM ${scan(municipalityRegister)} WHERE edition = ${newest}`
    const rows = await all<Row<typeof municipalityRegister>>(query, tableColumns(municipalityRegister))
    const people = new Map<string, number>()
    for (const { municipality_code, province_code, population } of rows)
      if (population !== null) for (const code of [municipality_code, province_code]) people.set(code, (people.get(code) ?? 0) + population)
    return { year: rows[0] ? Number(rows[0].edition) : null, people }
  },
})

/** The inhabitants of an edition of the register. */
export interface Register {
  readonly year: number | null
  readonly people: ReadonlyMap<string, number>
}
