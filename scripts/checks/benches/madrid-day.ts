import { join } from 'node:path'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { tableKey } from '../../../lake/iceberg/schema.ts'
import { type Lake, type LakeOptions, openLake } from '../../../lake/open.ts'
import { storeFiles, type WriteOptions, writeParquet } from '../../../lake/query/parquet.ts'
import type { Session } from '../../../lake/query/session.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { fileStore } from '../../../lake/store/file.ts'

/** A full day of Madrid: every sensor, every five minutes. */
const SENSORS = 6117
const PUBLICATIONS = 288
/** Rows of that day: 1,761,696. */
export const DAY_ROWS = SENSORS * PUBLICATIONS
const PERIOD_MS = 300_000
const DAY_START = Date.UTC(2026, 0, 5) + 10_000
const LEVELS = ['FLUID', 'SLOW', 'HEAVY', 'JAM', null] as const

/** DuckDB's limits, as in the service's defaults; bytes. */
export const BENCH_ENGINE = { memory: 2 * 1024 ** 3, spill: 8 * 1024 ** 3, threads: 2, slots: 2 } as const

/** Opens a lake like the service's, in a folder of the bench. */
export async function benchLake(folder: string, more: Pick<LakeOptions, 'standBack'> = {}): Promise<Lake> {
  const store = await fileStore(join(folder, 'store'))
  return openLake({ store, spool: join(folder, 'spool'), ...BENCH_ENGINE, ...more })
}

/** A small deterministic generator of uniform numbers in [0, 1) (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The rows of a day by publication: sensors in the publisher's order, values with a daily rhythm and noise. */
export function* madridDay(): Generator<AnyRow[]> {
  const random = randomOf(5)
  const usual = Array.from({ length: SENSORS }, () => 50 + random() * 1500)
  const ids = Array.from({ length: SENSORS }, (_, sensor) => String(1001 + ((sensor * 7919) % 9973)))
  for (let publication = 0; publication < PUBLICATIONS; publication++) {
    const observed_at = DAY_START + publication * PERIOD_MS
    const fetch_id = `madrid_traffic.${new Date(observed_at).toISOString().replace(/[-:.]/g, '').toLowerCase()}`
    const rush = 1 + Math.sin(((publication - 72) / PUBLICATIONS) * 2 * Math.PI)
    yield Array.from({ length: SENSORS }, (_, sensor): AnyRow => {
      const isM30 = sensor % 14 === 0
      const load_pct = Math.floor(random() * 60 * rush)
      return {
        source: 'madrid',
        sensor_id: ids[sensor],
        period_s: 300,
        observed_at,
        sensor_type: isM30 ? 'M30' : 'URBAN',
        intensity_veh_h: random() < 0.02 ? null : Math.floor((usual[sensor] as number) * rush * (0.8 + random() * 0.4)),
        occupancy_pct: Math.floor(random() * 30 * rush),
        load_pct,
        level_of_service: LEVELS[Math.min(4, Math.floor(load_pct / 25))] ?? null,
        speed_kmh: isM30 ? Math.floor(40 + random() * 50) : null,
        quality: random() < 0.99 ? 'OK' : 'SUSPECT',
        fetch_id,
      }
    })
  }
}

/** Writes the rows of a query as files of the readings and commits them; returns the number of rows. */
export async function commitReadings(lake: Lake, session: Session, rows: Pick<WriteOptions, 'from' | 'partition'>): Promise<number> {
  const { metadata } = await createTable({ store: lake.store, dataset: trafficReadings, properties: {} })
  const written = await writeParquet(session, {
    dataset: trafficReadings,
    tableKey: tableKey(trafficReadings),
    specId: metadata['default-spec-id'],
    sortOrderId: metadata['default-sort-order-id'],
    folder: lake.engine.folder,
    ...rows,
  })
  const add = await storeFiles(lake.store, written)
  await commit({ table: lake.table(trafficReadings), operation: 'append', add })
  return add.reduce((sum, file) => sum + file.rows, 0)
}
