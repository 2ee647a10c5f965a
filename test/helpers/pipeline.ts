import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import { batch, defineFeed, type Feed, FormatError } from '../../jobs/feeds/define.ts'
import type { IngestContext, PipelineStep } from '../../jobs/ingest/context.ts'
import { dgt } from '../../lake/datasets/road/sources.ts'
import { trafficReadings } from '../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../lake/datasets/road/v16.ts'
import { EventLog } from '../../lake/events/log.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { type LakeOptions, openLake } from '../../lake/open.ts'
import type { HttpfsAccess } from '../../lake/query/httpfs.ts'
import { scan } from '../../lake/query/scan.ts'
import { sql } from '../../lake/query/sql.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { openStore } from '../../lake/store/open.ts'
import type { S3Options } from '../../lake/store/s3-client.ts'

/** A publication of the small test feed: beacons by id and km, readings by sensor and vehicles per hour. */
export interface Document {
  /** Publication time, ISO 8601. */
  readonly at: string
  readonly beacons: Readonly<Record<string, number>>
  readonly readings?: Readonly<Record<string, number>>
}

/**
 * A small feed of one JSON document that fills a `changes` and an `append` dataset. `speed` changes the parser, as a correction
 * would.
 */
export function littleFeed(options: { readonly speed?: number | null } = {}): Feed {
  return defineFeed({
    id: 'little',
    source: dgt,
    into: [v16Beacons, trafficReadings],
    every_s: 60,
    plans: [
      {
        requests: [
          {
            name: 'document',
            url: 'https://publisher.example/document.json',
            accept: 'application/json',
            maxBytes: 1_000_000,
            maxDecodedBytes: 10_000_000,
            timeout_ms: 5000,
            expects: 'json',
          },
        ],
      },
    ],
    bands: { v16_beacons: { atLeast: 0, minRatio: 0, maxRatio: 1000 }, traffic_readings: { atLeast: 0, minRatio: 0.5, maxRatio: 1000 } },
    *rows(bodies, _clock, diagnostics) {
      const document = parse(bodies[0]?.bytes)
      const at = Date.parse(document.at)
      diagnostics.publishedAt(at)
      const beacons = Object.entries(document.beacons).map(([source_id, km]) => ({
        source: 'dgt',
        source_id,
        activated_at: Date.UTC(2026, 0, 1),
        road: 'A-7',
        km,
        direction: 'POSITIVE',
        province_code: '30',
        municipality_code: null,
        municipality: null,
        position: { lat: 37.6, lon: -1.7 },
        compass_direction: 'UNKNOWN',
      }))
      yield batch(v16Beacons, beacons)
      yield batch(
        trafficReadings,
        Object.entries(document.readings ?? {}).map(([sensor_id, intensity_veh_h]) => ({
          source: 'madrid',
          sensor_id,
          period_s: 300,
          observed_at: at,
          sensor_type: 'URBAN',
          intensity_veh_h,
          occupancy_pct: null,
          load_pct: null,
          level_of_service: null,
          speed_kmh: options.speed ?? null,
          quality: 'OK',
          headway_m: null,
          long_vehicles_pct: null,
        })),
      )
    },
  })
}

function parse(bytes: Buffer | undefined): Document {
  try {
    return JSON.parse(String(bytes)) as Document
  } catch (cause) {
    throw new FormatError('the document is no JSON', { cause })
  }
}

/** A publisher of one document over HTTP, which the test changes. */
export interface Publisher {
  document: Document
  /** The status to answer with instead of the document, if set. */
  status: number | null
  readonly url: string
  close(): Promise<void>
}

/** Starts a publisher. */
export async function startPublisher(document: Document): Promise<Publisher> {
  const state: { document: Document; status: number | null } = { document, status: null }
  const server = createServer((_, response) => {
    if (state.status !== null) response.writeHead(state.status).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(state.document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close })
}

/** The parts of a pipeline under test. */
export interface TestContext extends IngestContext {
  close(): Promise<void>
}

/** Opens store, lake and Redis of a pipeline; several may share folder (or prefix of an S3 server) and Redis, as workers do. */
export async function openTestContext(options: {
  readonly folder: string
  /** The store of the lake, if not the folder. */
  readonly s3?: S3Options
  readonly httpfs?: HttpfsAccess | null
  readonly redisUrl: string
  readonly publisher: string
  readonly now?: () => number
  /** Clock for the times of commits. */
  readonly lakeClock?: () => number
  readonly onStep?: (step: PipelineStep) => void | Promise<void>
  readonly onQuery?: LakeOptions['onQuery']
}): Promise<TestContext> {
  const { folder, s3, httpfs = null, redisUrl, publisher, now = Date.now, lakeClock: clock = Date.now, onStep, onQuery } = options
  const spool = join(folder, 'spool')
  mkdirSync(spool, { recursive: true })
  const store = await openStore(s3 ?? { url: pathToFileURL(join(folder, 'store')).href })
  const cache = { folder: join(folder, 'cache'), name: 'worker', maxBytes: 1024 ** 3 }
  const limits = { memory: 512 * 1024 ** 2, spill: 1024 ** 3, threads: 2, slots: 2 }
  const lake = await openLake({ store, spool, cache, httpfs, clock, ...limits, ...(onQuery ? { onQuery } : {}) })
  const redis = openRedis(redisUrl)
  return {
    store,
    lake,
    redis,
    log: pino({ level: 'silent' }),
    mode: 'simulated',
    idKey: Buffer.alloc(32, 7),
    events: new EventLog({ store, redis, clock: now }),
    origin: (url) => url.replace('https://publisher.example', publisher),
    now,
    patience: 0.01,
    ...(onStep ? { onStep } : {}),
    async close() {
      redis.disconnect()
      await lake.close()
      await store.close()
    },
  }
}

/** Every row of a dataset's table, in a fixed order. */
export function tableRows(context: IngestContext, dataset: Dataset): Promise<AnyRow[]> {
  return context.lake.query(sql`SELECT * FROM ${scan(dataset)} ORDER BY ALL`)
}
