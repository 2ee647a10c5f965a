import type { CodeList } from '../../schema/codes.ts'
import { col } from '../../schema/columns.ts'

/** Examples for the version columns. */
interface VersionExamples {
  readonly network: string
  readonly version: string
  readonly valid_from: string
}

/**
 * The first columns of every timetable table: ids 1 to 3. A version's name has the network and the first day on which a fair
 * share of its services run: equal content has one name, and a later edition for the same day replaces its rows.
 */
export function versionColumns(networks: CodeList, examples: VersionExamples) {
  return {
    network: col.code(1, 'Timetable of the row.', networks, { example: examples.network }),
    timetable_version: col.string(2, 'Version of the timetable: network and first day on which a fair share of its services run.', {
      example: examples.version,
    }),
    valid_from: col.instant(3, "Begin of the version's first day in Madrid.", { example: examples.valid_from }),
  } as const
}

/** Common settings of timetable datasets: whole versions, each in files of its own. */
export const TRANSIT_TIMETABLE = {
  time: 'valid_from',
  version: 'timetable_version',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
} as const
