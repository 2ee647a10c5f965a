import { createWriteStream } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { pino } from 'pino'
import { mitmaTrips } from '../../jobs/feeds/mobility/mitma-trips.ts'
import { isBulk, makeBulk } from '../../jobs/ingest/bulk.ts'
import type { IngestContext } from '../../jobs/ingest/context.ts'
import { openLake } from '../../lake/open.ts'
import { fileStore } from '../../lake/store/file.ts'
import { randomOf } from './madrid-day.ts'
import type { Bench, MemoryBench } from './measure.ts'

/** Lines of a day that is as large as the ministry's when packed, 140 MB; `MITMA_LINES` asks for another size. */
const LINES = Number(process.env.MITMA_LINES ?? 6_000_000)
const ZONES = 2618
const DAY = '2022-02-01'
const LINES_AT_ONCE = 20_000
/** What DuckDB may take, so that the process stays under a gigabyte with the packed file in it. */
const ENGINE = { memory: 512 * 1024 ** 2, spill: 16 * 1024 ** 3, threads: 2, slots: 2 } as const

/** A day of trips as the ministry packs it: unpacked, added up, sorted and written as the table takes it, against DuckDB's own COPY of the packed file. */
export const mitmaOd: Bench = {
  name: 'mitma-od',
  about: "a day of trips by the pipeline's COPY, against DuckDB's own COPY of the same columns in the same order",
  limit: 1.3,
  rounds: 3,
  warmUps: 1,
  async setUp(folder) {
    await pipeline(Readable.from(lines()), createGzip({ level: 1 }), createWriteStream(join(folder, 'day.csv.gz')))
  },
  async open(folder, { only }) {
    const packed = join(folder, 'day.csv.gz')
    const store = await fileStore(join(folder, 'store'))
    const lake = await openLake({ store, spool: join(folder, 'spool'), ...ENGINE })
    const context = { store, lake, log: pino({ level: 'silent' }), mode: 'simulated' } as unknown as IngestContext
    const scratch = join(folder, 'reference')
    await mkdir(scratch, { recursive: true })
    const reference = only
      ? null
      : await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '512MB', temp_directory: scratch })
    return {
      async measured() {
        if (!isBulk(mitmaTrips)) throw new Error('trips are made by the engine')
        const bodies = [{ name: DAY, bytes: await readFile(packed) }]
        const signal = new AbortController().signal
        const { staged } = await makeBulk(context, mitmaTrips, { bodies, fetch_id: 'mitma_trips.bench', fetchedAt: Date.now(), signal })
        await staged.drop()
      },
      async reference() {
        const connection = await (reference as DuckDBInstance).connect()
        const target = join(scratch, 'day.parquet')
        await connection.run(`COPY (${referenceQuery(packed)}) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`)
        connection.disconnectSync()
        await rm(target)
      },
      async close() {
        reference?.closeSync()
        await lake.close()
        await store.close()
      },
    }
  },
}

/** The same work in a process that is started as the one that runs feeds: the packed day is held, what it unpacks to is not. */
export const mitmaOdMemory: MemoryBench = {
  name: 'mitma-od-memory',
  about: "a day of trips by the pipeline's COPY, in a process of its own",
  limit_mb: 1000,
  async run(folder) {
    await mitmaOd.setUp?.(folder)
    const pair = await mitmaOd.open(folder, { only: true })
    await pair.measured()
    await pair.close()
  },
}

/** The columns that the table has, made of the packed file and sorted as the table is. */
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

/** Lines as the study has them: pairs of zones with a few lines for each hour, in no order. */
function* lines(): Generator<string> {
  const random = randomOf(11)
  const bands = ['0.5-2', '2-10', '10-50', '>50']
  const activities = ['casa', 'trabajo_estudio', 'frecuente', 'no_frecuente']
  const incomes = ['<10', '10-15', '>15']
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const zone = (): string => String(1001 + Math.floor(random() ** 2 * ZONES) * 19).padStart(5, '0')
  yield 'fecha|periodo|origen|destino|distancia|actividad_origen|actividad_destino|estudio_origen_posible|estudio_destino_posible|residencia|renta|edad|sexo|viajes|viajes_km\n'
  for (let done = 0; done < LINES; done += LINES_AT_ONCE) {
    const some: string[] = []
    for (let at = 0; at < Math.min(LINES_AT_ONCE, LINES - done); at++) {
      const origin = zone()
      const destination = random() < 0.4 ? origin : zone()
      const trips = 1 + random() * 40
      some.push(
        `20220201|${Math.floor(random() * 24)}|${origin}|${destination}|${pick(bands)}|${pick(activities)}|${pick(activities)}|no|no|${origin.slice(0, 2)}|${pick(incomes)}|NA|NA|${trips.toFixed(3)}|${(trips * 12).toFixed(3)}\n`,
      )
    }
    yield some.join('')
  }
}
