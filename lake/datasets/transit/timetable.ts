import type { CodeList } from '../../schema/codes.ts'
import { defineCodes } from '../../schema/codes.ts'
import { col } from '../../schema/columns.ts'

/** Stop uses of GTFS (`pickup_type`, `drop_off_type`), in order of their numbers. */
export const STOP_USES = ['REGULAR', 'NONE', 'PHONE_AGENCY', 'ASK_DRIVER'] as const

/** Boarding and alighting rules at a stop of a trip. Rail has its own list of the same codes. */
export const TRANSIT_STOP_USES = defineCodes('transit_stop_use', 'Whether travellers can board or alight at a stop of a trip.', {
  REGULAR: ['Sin aviso', 'Regularly'],
  NONE: ['No se permite', 'Not at all'],
  PHONE_AGENCY: ['Con aviso a la operadora', 'After a call to the operator'],
  ASK_DRIVER: ['Con aviso a la tripulación', 'After asking the crew'],
})

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
} as const

/** Terms for a stop of a trip of one vehicle kind, and examples for the columns. */
interface StopTimeWords {
  readonly trip: readonly [about: string, example: string]
  readonly sequence: string
  readonly stop: readonly [about: string, example: string]
  readonly arrival: string
  /** Example of both times, HH:MM:SS. */
  readonly time: string
  readonly uses: CodeList
}

/** The columns of the stop times of a timetable, after those of its version: ids 4 to 10. */
export function stopTimeColumns({ trip, sequence, stop, arrival, time, uses }: StopTimeWords) {
  const [nullable, use] = [
    { nullable: true, example: time },
    { nullable: true, example: null },
  ] as const
  return {
    trip_id: col.string(4, trip[0], { example: trip[1] }),
    stop_sequence: col.integer(5, sequence, { unit: '1', example: 1, min: 0, max: 10_000 }),
    stop_id: col.string(6, stop[0], { example: stop[1] }),
    arrival: col.service_time(7, `${arrival}, since the start of the service day; 24 h and more are after midnight.`, nullable),
    departure: col.service_time(8, 'Departure, likewise.', nullable),
    pickup_type: col.code(9, 'Whether travellers can board; null if not stated, which means regularly.', uses, use),
    drop_off_type: col.code(10, 'Whether travellers can alight; null if not stated, which means regularly.', uses, use),
  } as const
}
