import { railStationRegister } from '../../../lake/datasets/rail/station-register.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'

/** Fields of a station in the register. */
export type RegisteredStation = Row<typeof railStationRegister>

/** The newest state of each registered station, by code. Its only key is the empty string; without a register it is empty. */
export const stationRegister = defineCachedQuery<ReadonlyMap<string, RegisteredStation>>({
  name: 'station register',
  from: [railStationRegister],
  maxEntries: 1,
  async read({ all }) {
    const query = sql`
      SELECT * FROM ${scan(railStationRegister)}
      QUALIFY row_number() OVER (PARTITION BY stop_id ORDER BY observed_at DESC, is_baseline) = 1`
    const found = new Map<string, RegisteredStation>()
    for (const row of await all<RegisteredStation & { readonly stop_id: string }>(query, tableColumns(railStationRegister)))
      found.set(row.stop_id, row)
    return found
  },
})
