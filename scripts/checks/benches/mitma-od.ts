import { createWriteStream } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { pino } from 'pino'
import { mitmaTrips } from '../../../jobs/feeds/mobility/mitma-trips.ts'
import { isBulk, makeBulk } from '../../../jobs/ingest/bulk.ts'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { packedAsSent } from '../../stand-in/answers.ts'
import { mobilityTrips } from '../../stand-in/formats/mitma.ts'
import { mobilityZones } from '../../stand-in/world/mobility-zones.ts'
import { makeWorld } from '../../stand-in/world/world.ts'
import { openScratchLake } from '../scratch/lake.ts'
import type { Bench, Pair } from './measure.ts'

/** Lines of a day in the stand-in's full archives; `MITMA_LINES` sets fewer lines, with fewer zones. */
const WHOLE_DAY = 9_900_000
const SHARE = Math.min(1, Number(process.env.MITMA_LINES ?? WHOLE_DAY) / WHOLE_DAY)
const DAY = '2022-02-01'
/** Least number of rows after the aggregation of a whole day. */
const LEAST_ROWS = 2_000_000
const PACKED = 'day.csv.gz'
/** DuckDB's limits, such that the process with the packed file in memory stays under a gigabyte. */
const ENGINE = { memory: 512 * 1024 ** 2, spill: 16 * 1024 ** 3 } as const

/**
 * A day of trips in the ministry's packed file: unpacked, aggregated, sorted and written for the table. Reference: DuckDB's COPY
 * of the file.
 */
export const mitmaOd: Bench = {
  name: 'mitma-od',
  about: "a day of trips by the pipeline's COPY, against DuckDB's own COPY of the same columns in the same order",
  limit: 1.3,
  limit_mb: 1000,
  rounds: 3,
  warmUps: 1,
  setUp: writeDay,
  open: openDay,
}

async function openDay(folder: string, { only }: { readonly only: boolean }): Promise<Pair> {
  const packed = join(folder, PACKED)
  const lake = await openScratchLake(folder, ENGINE)
  const context = { store: lake.store, lake, log: pino({ level: 'silent' }), mode: 'simulated' } as unknown as IngestContext
  const scratch = join(folder, 'reference')
  const expected = { rows: { min: LEAST_ROWS * SHARE } }
  await mkdir(scratch, { recursive: true })
  const reference = only ? null : await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '512MB', temp_directory: scratch })
  return {
    measured: {
      expected,
      async run() {
        if (!isBulk(mitmaTrips)) throw new Error('trips must be built by the engine')
        const bodies = [{ name: DAY, bytes: await readFile(packed) }]
        const signal = new AbortController().signal
        const { staged } = await makeBulk(context, mitmaTrips, { bodies, fetch_id: 'mitma_trips.bench', fetchedAt: Date.now(), signal })
        await staged.drop()
        return { rows: staged.rows }
      },
    },
    reference: reference && {
      expected,
      async run() {
        const connection = await reference.connect()
        const target = join(scratch, 'day.parquet')
        const { rowsChanged } = await connection.run(`COPY (${referenceQuery(packed)}) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`)
        connection.disconnectSync()
        await rm(target)
        return { rows: rowsChanged }
      },
    },
    alike: ['rows'],
    async close() {
      reference?.closeSync()
      await lake.close()
      await lake.store.close()
    },
  }
}

/** The table's columns from the packed file, sorted like the table. */
function referenceQuery(packed: string): string {
  return `
    SELECT 'V2' AS study, 'V2-${DAY}' AS study_day, DATE '${DAY}' AS local_date, TIMESTAMPTZ '2022-01-31 23:00:00+00' AS day_starts_at,
      'MUNICIPALITY' AS zone_level, origen, destino, periodo, TIMESTAMPTZ '2022-01-31 23:00:00+00' + periodo * INTERVAL 1 HOUR AS starts_at,
      false AS is_clock_change, distancia, CAST(sum(viajes) AS DECIMAL(15, 3)) AS trips, CAST(sum(viajes_km) AS DECIMAL(15, 3)) AS trip_km,
      'mitma_trips.bench' AS fetch_id
    FROM read_csv('${packed}', delim = '|', header = true, quote = '', escape = '',
      types = {'fecha': 'VARCHAR', 'origen': 'VARCHAR', 'destino': 'VARCHAR', 'periodo': 'INTEGER', 'viajes': 'DECIMAL(15, 3)', 'viajes_km': 'DECIMAL(15, 3)'})
    GROUP BY origen, destino, periodo, distancia
    ORDER BY origen, destino, periodo, distancia`
}

/** Writes the packed day to a folder, as the stand-in sends it. */
async function writeDay(folder: string): Promise<void> {
  const zones = makeWorld(1, 'full', 'full').part(mobilityZones)
  const day = { seed: 1, day: DAY.replaceAll('-', ''), zones, archives: 'full', share: SHARE, hasUnknownCodes: false } as const
  await pipeline(packedAsSent({ text: mobilityTrips(day, 0) }), createWriteStream(join(folder, PACKED)))
}
