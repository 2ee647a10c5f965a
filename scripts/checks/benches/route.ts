import { execFile, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { type Met, thingsAlong } from '../../../api/endpoints/road/along/match.ts'
import { PathLine } from '../../../api/endpoints/road/along/path-line.ts'
import { ROAD_ITEMS } from '../../../api/endpoints/road/along/route-item.ts'
import type { Thing } from '../../../api/endpoints/road/along/things.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import type { Bench, Pair, Work } from './measure.ts'
import { routeWorld } from './route-world.ts'

const SEED = 1
const BUFFER_M = 300
const WEATHER_M = 10_000
/** Each trip there and back, so often. */
const ROUNDS = 10
const SLOWEST_MS = 40
const MEMORY_MB = 60
const WANTED = { kinds: new Set(Object.keys(ROAD_ITEMS.codes)), buffer_m: BUFFER_M, onlyOwnDirection: false }

type World = ReturnType<typeof routeWorld>

const journeys = ({ trips }: World): readonly Line[] => trips.flatMap((line) => [line, line.toReversed()])

const found = ({ things, posts }: World, line: Line): Met[] => thingsAlong(new PathLine(line), things, posts, WANTED)

/** Everything along each journey; each journey is a part. */
function asking(world: World, ask: (line: Line) => Promise<number> | number, rounds: number, slowest: boolean): Work {
  return {
    expected: { journeys: rounds * 2 * world.trips.length, things: { min: 30_000 } },
    ...(slowest ? { slowestHundredth: true } : { repeats: rounds }),
    async run(timer) {
      let things = 0
      for (let round = 0; round < rounds; round++) for (const line of journeys(world)) things += await timer.part(async () => ask(line))
      return { journeys: rounds * 2 * world.trips.length, things: things / rounds }
    },
  }
}

const coordinates = (line: Line): string => line.map(([lon, lat]) => `${lon} ${lat}`).join(',')

/** The geometry of a thing as PostGIS reads it. */
function wktOf({ line, area, position }: Thing): string {
  if (area) return `POLYGON((${coordinates(area[0]?.[0] ?? [])}))`
  if (line) return `LINESTRING(${coordinates(line)})`
  return `POINT(${position?.lon} ${position?.lat})`
}

/** Loads the same things as one table with a GiST index, in metres of UTM 30 (EPSG:25830). */
async function load(database: PostGis, { things }: World): Promise<void> {
  await database.query('CREATE TABLE thing (kind text, id text, within float8, geom geometry(Geometry, 25830))')
  for (const own of things)
    for (let at = 0; at < own.length; at += 500) {
      const rows = own.slice(at, at + 500).map((thing) => {
        const within = thing.area ? 0 : thing.kind === 'WEATHER_STATION' ? WEATHER_M : BUFFER_M
        return `('${thing.kind}', '${thing.id}', ${within}, ST_Transform(ST_GeomFromText('${wktOf(thing)}', 4326), 25830))`
      })
      await database.query(`INSERT INTO thing VALUES ${rows.join(',')}`)
    }
  await database.query('CREATE INDEX ON thing USING gist (geom); VACUUM ANALYZE thing')
}

const ordered = (line: Line): string => `
  WITH path AS (SELECT ST_Transform(ST_GeomFromText('LINESTRING(${coordinates(line)})', 4326), 25830) AS geom)
  SELECT kind, id, ST_LineLocatePoint(path.geom, ST_ClosestPoint(path.geom, thing.geom)) * ST_Length(path.geom) AS along, ST_Distance(path.geom, thing.geom)
  FROM thing, path
  WHERE ST_DWithin(thing.geom, path.geom, ${BUFFER_M}) OR (kind = 'WEATHER_STATION' AND ST_DWithin(thing.geom, path.geom, ${WEATHER_M}))
  ORDER BY along`

async function open(slowest: boolean): Promise<Pair> {
  const before = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
  const world = routeWorld(SEED)
  const made = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
  for (const line of journeys(world)) found(world, line)
  globalThis.gc?.()
  // What the index adds to the things themselves, which the lists hold anyway.
  const index_mb = Math.max(1, (process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers - Math.max(before, made)) / 1e6)
  const measured = asking(world, (line) => found(world, line).length, ROUNDS, slowest)
  const common = { measured, peak_mb: () => index_mb }
  const database = slowest ? null : await startPostGis()
  if (!database) {
    if (!slowest) process.stderr.write('SKIPPED: no PostGIS (Debian: postgresql-15-postgis-3); only the time limit is checked\n')
    return { ...common, reference: { limit_ms: SLOWEST_MS }, close: async () => {} }
  }
  await load(database, world)
  return {
    ...common,
    reference: asking(world, async (line) => (await database.query(ordered(line))).length, 1, false),
    close: () => database.close(),
  }
}

/** Everything along ten trips, against PostGIS. */
export const route: Bench = {
  name: 'route/postgis',
  about:
    'everything along ten trips there and back, some 39,000 things at full scale, at most an eighth of the time of PostGIS 3 on the same',
  limit: 0.125,
  limit_mb: MEMORY_MB,
  rounds: 3,
  warmUps: 1,
  open: () => open(false),
}

/** The slowest hundredth of the same. */
export const routeSlowest: Bench = {
  name: 'route/slowest',
  about: `the slowest hundredth of these journeys, at most ${SLOWEST_MS} ms`,
  limit: 1,
  rounds: 5,
  open: () => open(true),
}

const run = promisify(execFile)
const BIN = '/usr/lib/postgresql/15/bin'
const START_MS = 20_000

/** A PostGIS server of its own with a client. */
interface PostGis {
  /** Runs statements and returns the lines of their results, without headers: columns are separated by `|`. */
  query(sql: string): Promise<string[]>
  close(): Promise<void>
}

/** Starts PostGIS 3 on PostgreSQL 15 with default settings; null without the Debian package `postgresql-15-postgis-3`. */
async function startPostGis(): Promise<PostGis | null> {
  const ids = spawnSync('id', ['-u', 'postgres'], { encoding: 'utf8' })
  if (!existsSync(join(BIN, 'postgres')) || ids.status !== 0) return null
  const [uid, gid] = [Number(ids.stdout), Number(spawnSync('id', ['-g', 'postgres'], { encoding: 'utf8' }).stdout)]
  const folder = mkdtempSync(join(tmpdir(), 'postgis-'))
  chownSync(folder, uid, gid)
  const as = { uid, gid, cwd: folder, env: { ...process.env, HOME: folder } }
  await run(join(BIN, 'initdb'), ['-D', join(folder, 'data'), '-A', 'trust', '-E', 'UTF8', '--no-sync'], as)
  const server = spawn(join(BIN, 'postgres'), ['-D', join(folder, 'data'), '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'], {
    ...as,
    stdio: 'ignore',
  })
  const began = Date.now()
  for (;;) {
    if (spawnSync('psql', ['-h', folder, '-d', 'postgres', '-c', 'CREATE EXTENSION IF NOT EXISTS postgis'], as).status === 0) break
    if (Date.now() - began > START_MS) throw new Error(`PostGIS did not start within ${START_MS / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const client = spawn('psql', ['-h', folder, '-d', 'postgres', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'], {
    ...as,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let wanted: { readonly lines: string[]; readonly done: (lines: string[]) => void } | null = null
  createInterface({ input: client.stdout }).on('line', (line) => {
    if (line !== END) wanted?.lines.push(line)
    else wanted?.done(wanted.lines)
  })
  return {
    query: (sql) =>
      new Promise((resolve, reject) => {
        wanted = { lines: [], done: resolve }
        client.once('exit', () => reject(new Error('psql ended')))
        client.stdin.write(`${sql};\n\\echo ${END}\n`)
      }),
    close: async () => {
      client.removeAllListeners('exit')
      client.stdin.end()
      server.kill('SIGINT')
      await new Promise((resolve) => server.once('exit', resolve))
      rmSync(folder, { recursive: true })
    },
  }
}

const END = '== end of statement =='
