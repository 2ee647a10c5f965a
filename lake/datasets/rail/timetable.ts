import { col } from '../../schema/columns.ts'
import { identity } from '../../schema/dataset.ts'
import { RAIL_NETWORKS } from './codes.ts'
import { renfe } from './sources.ts'

/**
 * The columns that every table of a timetable begins with: ids 1 to 3. The version is the publisher's: the network and the first day of its
 * calendar on which a fair share of the services runs, so that equal content has one name; what is published again for the same first day takes
 * the place of its rows.
 */
export const VERSION_COLUMNS = {
  network: col.code(1, 'Timetable that the row is of.', RAIL_NETWORKS, { example: 'CERCANIAS' }),
  timetable_version: col.string(2, 'Version of the timetable: network and first day on which a fair share of its services runs.', {
    example: 'cercanias-2026-08-22',
  }),
  valid_from: col.instant(3, "Begin of the version's first day in Madrid.", { example: '2026-08-21T22:00:00.000Z' }),
} as const

/** What all datasets of a timetable share: whole versions, each in files of its own. */
export const TIMETABLE = {
  domain: 'rail',
  sources: [renfe],
  time: 'valid_from',
  version: 'timetable_version',
  land: 'replace',
  partition: [identity('timetable_version')],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
} as const
