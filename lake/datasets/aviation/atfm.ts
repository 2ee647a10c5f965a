import { type Column, col, type Json } from '../../schema/columns.ts'
import { COUNT } from '../../schema/quantities.ts'
import { ATFM_CAUSES } from './codes.ts'

/** The columns that all datasets of daily ATFM delays share; `id` is the field id of the first. */
export function atfmColumns(id: number): {
  readonly delay_minutes: Column<number>
  readonly delayed_flights: Column<number>
  readonly delayed_15_flights: Column<number>
  readonly leading_cause: Column<string | null>
  readonly causes: Column<Json>
} {
  return {
    delay_minutes: col.integer(id, 'Minutes of ATFM delay; 0 if no flight was delayed.', { unit: 'min', min: 0, example: 120 }),
    delayed_flights: col.integer(id + 1, 'Flights with an ATFM delay.', { ...COUNT, example: 8 }),
    delayed_15_flights: col.integer(id + 2, 'Flights with an ATFM delay of more than 15 minutes.', { ...COUNT, example: 3 }),
    leading_cause: col.code(id + 3, 'Main cause of these minutes; null if there was no delay.', ATFM_CAUSES, {
      ...{ nullable: true, example: 'WEATHER' },
    }),
    causes: col.json(id + 4, 'Minutes by cause, largest first; causes without delay are omitted.', {
      lists: [ATFM_CAUSES],
      example: [
        { cause: 'WEATHER', minutes: 90 },
        { cause: 'ATC_CAPACITY', minutes: 30 },
      ],
    }),
  }
}

/** The first columns of all daily EUROCONTROL datasets. */
export const dayColumns = {
  edition: col.string(1, 'Year of the file, which is republished in full as it grows.', { example: '2024' }),
  local_date: col.local_date(2, 'Day, in UTC.', { example: '2024-07-01' }),
  day_starts_at: col.instant(3, 'Begin of the day, 00 UTC.', { example: '2024-07-01T00:00:00.000Z' }),
} as const
