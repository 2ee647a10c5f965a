import type { CodeList } from '../../schema/codes.ts'
import { col } from '../../schema/columns.ts'

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
