import { nap } from '../maritime/sources.ts'
import { TRANSIT_TIMETABLE, versionColumns } from '../transit/timetable.ts'
import { RAIL_NETWORKS } from './codes.ts'
import { crtm, fgc, fgv, renfe } from './sources.ts'

/** The first columns of every railway timetable table: ids 1 to 3. */
export const VERSION_COLUMNS = versionColumns(RAIL_NETWORKS, {
  network: 'CERCANIAS',
  version: 'cercanias-2026-08-22',
  valid_from: '2026-08-21T22:00:00.000Z',
})

/** Common settings of railway timetable datasets. */
export const TIMETABLE = { ...TRANSIT_TIMETABLE, domain: 'rail', sources: [renfe, fgc, crtm, fgv, nap] } as const
