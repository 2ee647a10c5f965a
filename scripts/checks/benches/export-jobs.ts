import { join } from 'node:path'
import { EXPORT_ENGINE } from '../../../jobs/exports/worker.ts'
import { writeExport } from '../../../jobs/exports/write.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { deleteFiles } from '../../../lake/exports/jobs.ts'
import { openLake } from '../../../lake/open.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { benchLake } from './madrid-day.ts'
import type { Bench } from './measure.ts'
import { fillReadings } from './readings-lake.ts'

const SENSORS = 6117
const DAY_MS = 86_400_000
const END = Date.UTC(2026, 10, 1)
/** Days of readings that have at least `EXPORT_ROWS` rows, which `scripts/bench --rows` sets. */
const DAYS = Math.ceil(Number(process.env['EXPORT_ROWS'] ?? 3_500_000) / (SENSORS * 288))
const ROWS = DAYS * SENSORS * 288
const ID = 'exp_bench'

/** Exports rows of the lake as one file of an export job, hashed and stored, against one COPY of the same rows. */
export const exportJobs: Bench = {
  name: 'export-jobs',
  about: `${(ROWS / 1e6).toFixed(1)} million readings to one Parquet file by an export job, against plain COPY; set more by --rows 100000000`,
  limit: 1.3,
  limit_mb: 1000,
  rounds: ROWS > 20e6 ? 3 : 5,
  warmUps: 1,
  async setUp(folder) {
    await fillReadings(folder, { sensors: SENSORS, from: END - DAYS * DAY_MS, open: END, to: END, atOnce: 1024 })
  },
  async open(folder, { only }) {
    const store = await fileStore(join(folder, 'store'))
    const plain = only ? null : await benchLake(folder)
    const request = {
      id: ID,
      slot: 'bench',
      created_at: 0,
      dataset: trafficReadings.id,
      from: null,
      to: null,
      province: null,
      columns: null,
    }
    return {
      measured: {
        expected: { rows: ROWS },
        async run() {
          const lake = await openLake({ store, spool: join(folder, 'spool'), threads: 2, spill: 8e9, ...EXPORT_ENGINE })
          try {
            const { rows } = await writeExport(
              lake,
              { ...request, format: 'parquet', split: 'none' },
              { dataset: trafficReadings, attempt: 'bench', signal: new AbortController().signal },
            )
            return { rows }
          } finally {
            await lake.close()
            await deleteFiles(store, { id: ID })
          }
        },
      },
      reference: plain && {
        expected: { rows: ROWS },
        run: async () => ({
          rows: await plain.use({}, (session) =>
            session.copy(sql`SELECT * FROM ${scan(trafficReadings)}`, {
              path: join(plain.engine.folder, 'reference.parquet'),
              options: 'FORMAT parquet, COMPRESSION zstd',
            }),
          ),
        }),
      },
      async close() {
        await plain?.close()
      },
    }
  },
}
