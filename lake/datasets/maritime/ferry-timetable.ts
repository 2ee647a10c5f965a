import { TRANSIT_TIMETABLE, versionColumns } from '../transit/timetable.ts'
import { FERRY_OPERATORS } from './ferry-codes.ts'
import { nap } from './sources.ts'

/** The first columns of every ferry timetable table: ids 1 to 3. */
export const FERRY_VERSION_COLUMNS = versionColumns(FERRY_OPERATORS, {
  network: 'BALEARIA',
  version: 'balearia-2026-08-01',
  valid_from: '2026-07-31T22:00:00.000Z',
})

/** Common settings of ferry timetable datasets. */
export const FERRY_TIMETABLE = { ...TRANSIT_TIMETABLE, domain: 'maritime', sources: [nap] } as const
