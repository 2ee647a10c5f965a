import { type QualityDay, writeQualityDay } from '../../../lake/quality/days.ts'
import { type TableQuality, writeTableQuality } from '../../../lake/quality/tables.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'

/** Statistics of feeds of a day as the worker writes them. */
const QUALITY_EXAMPLE: QualityDay = {
  date: '2026-01-02',
  as_of: Date.UTC(2026, 0, 3, 5),
  feeds: {
    dgt_incidents: {
      ...{ publications: 1438, expected: 1440, gaps: 1, longest_gap_s: 240, lateness_median_s: 31, lateness_max_s: 95 },
      ...{ quarantined: 2, unknown_codes: 1, rejected: 3 },
    },
  },
}

/** The worker's statistics of a table's days. */
const TABLE_QUALITY_EXAMPLE: TableQuality = {
  ...{ as_of: QUALITY_EXAMPLE.as_of, last: '2026-01-02', feeds: ['dgt_incidents'], files: {} },
  days: { '2026-01-02': { as_of: QUALITY_EXAMPLE.as_of, rows: 354, nulls: { km: 0.027119 } } },
}

/** Writes the worker's statistics of a day of incidents. */
export async function writeExampleQuality(store: ObjectStore): Promise<void> {
  await writeQualityDay(store, QUALITY_EXAMPLE)
  await writeTableQuality(store, 'incidents', { seq: 1, quality: TABLE_QUALITY_EXAMPLE })
}
