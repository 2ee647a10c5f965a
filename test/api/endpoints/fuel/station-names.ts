import type { QueryReader } from '../../../../api/kernel/reads/cached-query.ts'
import { railStations } from '../../../../lake/datasets/rail/timetable.ts'
import { type Scan, scan } from '../../../../lake/query/scan.ts'
import { sql } from '../../../../lake/query/sql.ts'

/** A station by its id and name, as cached queries of tests have it. */
interface NamedStation {
  readonly id: string
  readonly name: string
}

/** A cached query of station names: those of all versions of the timetable, or the chosen ones, in order of their ids. */
export async function stationNames({ rows }: QueryReader, chosen: Scan = scan(railStations)): Promise<NamedStation[]> {
  const found: NamedStation[] = []
  for await (const batch of rows(sql`SELECT stop_id, name FROM ${chosen} ORDER BY stop_id`))
    for (const { stop_id, name } of batch) found.push({ id: String(stop_id), name: String(name) })
  return found
}
