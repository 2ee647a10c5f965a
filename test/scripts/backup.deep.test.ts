import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { makeRunner } from '../../jobs/ingest/runner.ts'
import { trafficReadings } from '../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../lake/datasets/road/v16.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import type { LiveFile } from '../../lake/iceberg/types.ts'
import { scan } from '../../lake/query/scan.ts'
import { sql } from '../../lake/query/sql.ts'
import { acceptedAfter, readBody } from '../../lake/raw/archive.ts'
import { openStore } from '../../lake/store/open.ts'
import type { S3Options } from '../../lake/store/s3-client.ts'
import { idKey, writeFeedListings } from '../../lake/system.ts'
import { codeBlocks, section } from '../helpers/markdown.ts'
import { type Document, littleFeed, openTestContext, startPublisher, tableRows } from '../helpers/pipeline.ts'
import { startTestRedis } from '../helpers/redis.ts'
import { startS3 } from '../helpers/s3-server.ts'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'
import { openTestLake } from '../lake/query/fixtures.ts'
import { PROJECT } from '../laws/sources.ts'

const run = promisify(execFile)
const PAGE = readFileSync(join(PROJECT, 'scripts/README.md'), 'utf8')
const never = new AbortController().signal
/** Publications are minutes apart and end before now: a list shows recent data only. */
const START = Math.floor(Date.now() / 60_000 - 20) * 60_000
const feed = littleFeed()
const LISTING = {
  ...{ id: feed.id, domain: 'road', source: 'dgt', datasets: ['v16_beacons', 'traffic_readings'], every_s: 60 },
  ...{ urls: ['https://publisher.example/document.json'], enabled: true },
}
type Env = Readonly<Record<string, string>>

/** The five commands below a heading of the page. */
function commandsOf(heading: string): string[] {
  const [block] = codeBlocks(section(PAGE, heading))
  const lines = (block?.code ?? '').split('\n')
  expect(lines).toHaveLength(5)
  return lines
}

const storeOf = ({ folder }: Place): string => pathToFileURL(join(folder, 'store')).href

const shell = async (command: string, env: Env): Promise<void> => {
  await run('bash', ['-c', command], { cwd: PROJECT, env: { ...process.env, ...env } })
}

/** A machine with a data folder, a Redis and a store of its own. */
interface Place {
  readonly folder: string
  readonly env: Env
  /** The page's command that starts its API. */
  readonly start: string
  readonly s3?: S3Options
}

/** Runs the page's last command. `url` waits for the address of the API, and throws what the command printed if it ends. */
function startApi({ folder, env, start }: Place) {
  const child = spawn('bash', ['-c', start], {
    cwd: PROJECT,
    env: { ...process.env, ...env, PORT: '0', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', (line) => lines.push(line))
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  onTestFinished(stop)
  const url = async (): Promise<string> => {
    const noted = join(folder, 'api.url')
    const address = (): string => (existsSync(noted) ? readFileSync(noted, 'utf8') : '')
    await until(`an API: ${lines.slice(-5).join('\n')}`, () => address() !== '' || child.exitCode !== null, 120_000)
    if (child.exitCode !== null) throw new Error(lines.join('\n'))
    return address()
  }
  return { url, stop }
}

/** The pipeline of a machine's worker over its store and its own Redis; `publish` fetches and lands the next publication. */
async function openPipeline({ folder, env, s3 }: Place) {
  const publisher = await startPublisher({ at: new Date(START).toISOString(), beacons: {} })
  onTestFinished(() => publisher.close())
  let count = 0
  const now = (): number => START + count * 60_000 + 5000
  const context = await openTestContext({
    folder,
    redisUrl: env['REDIS_URL'] as string,
    publisher: publisher.url,
    now,
    ...(s3 ? { s3 } : {}),
  })
  onTestFinished(() => context.close())
  const runner = makeRunner({ ...context, mode: 'live', idKey: await idKey(context.store) })
  const publish = async (): Promise<void> => {
    count++
    const numbers = Array.from({ length: count }, (_, at) => at + 1)
    const document: Document = {
      at: new Date(START + count * 60_000).toISOString(),
      // Each publication has one beacon more: a list shows which publication it is from.
      beacons: Object.fromEntries(numbers.map((number) => [`b${number}`, number])),
      readings: { [`s${count}`]: 100 + count },
    }
    publisher.document = document
    await runner.fetch(feed, never)
    await runner.land(feed, never)
  }
  return { context, runner, publish }
}

type Beacon = { readonly id: string; readonly km: number }

const beacons = async (url: string, key: string): Promise<{ readonly status: number; readonly list: readonly Beacon[] }> => {
  const reply = await fetch(`${url}/api/v16`, { headers: { 'X-API-Key': key } })
  const { beacons: list = [] } = (await reply.json()) as { readonly beacons?: readonly Beacon[] }
  return { status: reply.status, list: [...list].sort((one, other) => one.km - other.km) }
}

/** Starts a service, and copies its store by commands between which it goes on. Returns its answers and its key. */
async function serviceAndBackup(source: Place, commands: readonly string[], env: Env) {
  const api = startApi(source)
  const url = await api.url()
  const { stdout } = await run('bash', ['-c', 'scripts/keys create me@example.org --plan PRO --data "$DATA"'], {
    cwd: PROJECT,
    env: { ...process.env, ...source.env },
  })
  const key = stdout.split('\n')[0] as string
  const { context, publish } = await openPipeline(source)
  await writeFeedListings(context.store, [LISTING])
  await publish()
  for (const command of commands) {
    await shell(command, { ...source.env, ...env })
    await publish()
  }
  await until('the newest list', async () => (await beacons(url, key)).list.length === commands.length + 1, 30_000)
  const before = {
    list: (await beacons(url, key)).list,
    rows: [await tableRows(context, v16Beacons), await tableRows(context, trafficReadings)],
  }
  await context.close()
  await api.stop()
  return { key, before }
}

/** Reports what a store refers to and lacks: bytes of raw fetches, files of tables, fetches of tables. */
async function missingFrom(url: string, s3?: S3Options): Promise<string[]> {
  const store = await openStore(s3 ?? { url })
  onTestFinished(() => store.close())
  const folder = tempFolder()
  const lake = await openTestLake(folder, { store, cache: { folder: join(folder, 'cache'), name: 'backup', maxBytes: 1024 ** 3 } })
  onTestFinished(() => lake.close())
  const missing: string[] = []
  const unreadable = (error: Error): LiveFile[] => {
    missing.push(error.message)
    return []
  }
  const fetches = await acceptedAfter(store, feed.id, 0)
  for (const { bodies } of fetches)
    for (const body of bodies) await readBody(store, body).catch((error: Error) => missing.push(error.message))
  for (const dataset of [v16Beacons, trafficReadings]) {
    const state = await lake.table(dataset).load()
    if (!state) missing.push(dataset.id)
    else for (const { key } of await liveFiles(state).catch(unreadable)) if ((await store.head(key)) === null) missing.push(key)
    const ids = new Set(fetches.map(({ fetch_id }) => fetch_id))
    const rows = await lake.query(sql`SELECT DISTINCT fetch_id FROM ${scan(dataset)}`).catch(() => [])
    missing.push(...rows.map(({ fetch_id }) => fetch_id as string).filter((id) => !ids.has(id)))
  }
  return missing
}

async function restoreAndCompare(
  target: Place,
  commands: readonly string[],
  env: Env,
  { key, before }: Awaited<ReturnType<typeof serviceAndBackup>>,
) {
  for (const command of commands.slice(0, -1)) await shell(command, { ...target.env, ...env })
  const api = startApi(target)
  const url = await api.url()
  expect(await missingFrom(storeOf(target), target.s3)).toEqual([])
  const { context, runner } = await openPipeline(target)
  const rows = () => Promise.all([v16Beacons, trafficReadings].map((dataset) => tableRows(context, dataset)))
  // The tables were copied by the second command, after two publications.
  expect((await rows()).map(({ length }) => length)).toEqual([2, 2])
  await runner.heal([feed])
  // The raw log was copied by the third command: it has the three publications before it.
  const expected = before.list.slice(0, 3)
  await until('the live list', async () => (await beacons(url, key)).list.length === expected.length, 30_000)
  expect(await beacons(url, key)).toEqual({ status: 200, list: expected })
  expect((await beacons(url, `${key}x`)).status).toBe(401)
  await runner.land(feed, never)
  for (const [at, landed] of (await rows()).entries()) {
    expect(landed).toHaveLength(3)
    expect(before.rows[at]).toEqual(expect.arrayContaining(landed))
  }
  await api.stop()
}

/** True if a program is installed; else the tests that need it are skipped aloud. */
async function has(program: string): Promise<boolean> {
  const found = await run('bash', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  )
  if (!found) process.stderr.write(`skipped: ${program} is not installed, so that backup is not rehearsed\n`)
  return found
}

/** A new machine with the settings, and with the restore of a kind of store. */
async function newMachine(restore: readonly string[], env: Env = {}, s3?: S3Options): Promise<Place> {
  const folder = join(tempFolder(), 'data')
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const settings = { LAKE_URL: '', KEY_PEPPER: '', ...env, REDIS_URL: redis.url, DATA: folder }
  return { folder, env: settings, start: restore.at(-1) as string, ...(s3 ? { s3 } : {}) }
}

test('a folder copied while the service runs gives the same answers on another machine', { timeout: 300_000 }, async ({ skip }) => {
  if (!(await has('rsync'))) return skip()
  const env = { BACKUP: join(tempFolder(), 'backup'), SAFE: join(tempFolder(), 'safe') }
  const commands = commandsOf('#### Backup of a folder')
  const restore = commandsOf('#### Restore of a folder')
  const service = await serviceAndBackup(await newMachine(restore), commands, env)
  await restoreAndCompare(await newMachine(restore), restore, env, service)

  const peppered = restore.findIndex((line) => line.includes('key-pepper'))
  const without = await newMachine(restore)
  for (const command of restore.filter((_, at) => at !== peppered).slice(0, -1)) await shell(command, { ...without.env, ...env })
  await expect(startApi(without).url()).rejects.toThrow(/made with a key pepper, but .* is missing: restore it/)
})

test('commands in the opposite order copy tables without their files and fetches without their bytes', { timeout: 300_000 }, async ({
  skip,
}) => {
  if (!(await has('rsync'))) return skip()
  const env = { BACKUP: join(tempFolder(), 'backup'), SAFE: join(tempFolder(), 'safe') }
  await serviceAndBackup(
    await newMachine(commandsOf('#### Restore of a folder')),
    commandsOf('#### Backup of a folder').slice(0, 4).reverse(),
    env,
  )
  const missing = await missingFrom(pathToFileURL(env.BACKUP).href)
  expect(missing.join(' ')).toMatch(/raw bytes .* are gone/)
  expect(missing.join(' ')).toMatch(/lake\/road\/v16_beacons/)
})

test('a bucket copied while the service runs gives the same answers from another bucket', { timeout: 300_000 }, async ({ skip }) => {
  const s3 = await startS3()
  if (!s3) return skip()
  onTestFinished(() => s3.stop())
  if (!s3.endpoint || !(await has('aws'))) return skip()
  const restore = commandsOf('#### Restore of a bucket')
  const [from, backup, to] = [s3.fresh(), s3.fresh(), s3.fresh()]
  const { credentials } = from
  const settings = {
    ...{ S3_ENDPOINT: s3.endpoint, AWS_ENDPOINT_URL: s3.endpoint, S3_PATH_STYLE: 'true', AWS_REGION: 'us-east-1' },
    ...(credentials ? { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey } : {}),
  }
  const env = { ...settings, BACKUP: backup.url, SAFE: join(tempFolder(), 'safe') }
  const service = await serviceAndBackup(
    await newMachine(restore, { ...settings, LAKE_URL: from.url }, from),
    commandsOf('#### Backup of a bucket'),
    env,
  )
  await restoreAndCompare(await newMachine(restore, { ...settings, LAKE_URL: to.url }, to), restore, env, service)
})
