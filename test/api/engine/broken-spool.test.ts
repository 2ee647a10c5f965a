import { type FileHandle, open } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { devNull } from 'node:os'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readPlans, TIERS } from '../../../api/auth/plans.ts'
import { sql } from '../../../lake/query/sql.ts'
import { readLog } from '../../../lake/requests/log.ts'
import { until } from '../../helpers/until.ts'
import { startService, type TestService } from '../service.ts'
import { bigEndpoint, landSomething } from './big-endpoint.ts'

/** 8,000 records of 1 kB: more than the limit of memory. */
const ROWS = 8000
const big = bigEndpoint(ROWS, sql`(SELECT string_agg(md5(CAST(range * 32 + part AS VARCHAR)), '') FROM range(32) AS parts(part))`)
const LIMITS = { minute: 1e6, day: 1e6, concurrency: 5 }
const MINUTE_MS = 60_000

let now = Date.UTC(2026, 10, 1, 12)
let service: TestService
const logged: string[] = []
beforeAll(async () => {
  const plans = readPlans(JSON.stringify(Object.fromEntries(TIERS.map((tier) => [tier, LIMITS]))))
  service = await startService({ endpoints: [big], plans, clock: () => now, log: (line) => logged.push(line) })
  await landSomething(service, now)
})
afterAll(() => service?.close())

/** Makes the disk fail in the middle of files, until the returned function is called or the test ends. */
async function breakDisk(): Promise<() => void> {
  const one = await open(devNull)
  const handles = Object.getPrototypeOf(one) as { read: (...of: unknown[]) => Promise<unknown> }
  await one.close()
  const { read } = handles
  handles.read = function (this: FileHandle, ...of: unknown[]) {
    const [, , , position] = of
    if (typeof position === 'number' && position >= 2_000_000) return Promise.reject(new Error('EIO: i/o error, read'))
    return read.apply(this, of)
  }
  const mend = (): void => {
    handles.read = read
  }
  onTestFinished(mend)
  return mend
}

/** The outcome of a reply, and whether a client takes it for complete. */
interface Came {
  readonly status: number
  readonly bytes: number
  readonly isWhole: boolean
  /** The rest of the day's units. */
  readonly left: number
}

async function ask(query: string, encoding: string): Promise<Came> {
  const headers = await service.keyed('PRO', { 'accept-encoding': encoding })
  return await new Promise((resolve, reject) => {
    const take = (reply: IncomingMessage): void => {
      let bytes = 0
      const left = Number(/"day";r=(\d+)/.exec(String(reply.headers['ratelimit']))?.[1])
      reply.on('data', (part: Buffer) => {
        bytes += part.length
      })
      reply.on('error', () => undefined)
      reply.on('close', () => resolve({ status: reply.statusCode as number, bytes, isWhole: reply.complete, left }))
    }
    get(`${service.url}/api/big?${query}`, { headers, agent: false, timeout: 20_000 }, take)
      .on('timeout', () => reject(new Error('the connection was left open')))
      // Cut before its first byte.
      .on('error', () => resolve({ status: 0, bytes: 0, isWhole: false, left: 0 }))
  })
}

/** Answered requests, requests that failed by our fault, and units of the day, in all written usage. */
async function used(): Promise<number[]> {
  now += MINUTE_MS
  await service.requests.flush()
  const parts = await readLog(service.lake.store, {
    ...{ from: 0, to: Number.POSITIVE_INFINITY },
    take: ({ minutes }) => minutes.flatMap(({ usage }) => usage),
  })
  const rows = [...parts.values()].flat()
  return (['answered', 'server_error', 'day_units'] as const).map((name) => rows.reduce((sum, row) => sum + row[name], 0))
}

const all: [answered: number, server_error: number, units: number] = [0, 0, 0]
/** Waits for the given use since the last call; a request is counted a little after its reply arrives. */
async function usesMore(...more: readonly [answered: number, server_error: number, units: number]): Promise<void> {
  for (const [at, count] of more.entries()) all[at] = (all[at] as number) + count
  let seen: readonly number[] = []
  const isCounted = async (): Promise<boolean> => {
    seen = await used()
    return (seen[0] as number) + (seen[1] as number) >= all[0] + all[1]
  }
  await until('all is counted', isCounted)
  expect(seen).toEqual(all)
}

/** Log lines above the level of information. */
const mistakes = (): { readonly level: number }[] =>
  logged.map((line) => JSON.parse(line) as { readonly level: number }).filter(({ level }) => level >= 40)

test.each([
  ['format=csv', 'gzip'],
  ['format=ndjson', 'br'],
  ['format=csv', 'identity'],
  ['format=arrow', 'gzip'],
])('a reply whose file breaks off is not taken for complete, costs nothing, and is reported: %s in %s', async (query, encoding) => {
  const path = `limit=${ROWS}&${query}`
  const [whole, before] = [await ask(path, encoding), await ask('limit=1', encoding)]
  expect(whole).toMatchObject({ status: 200, isWhole: true })
  await usesMore(2, 0, 2)
  logged.length = 0
  const mend = await breakDisk()
  const broken = await ask(path, encoding)
  expect(broken.isWhole).toBe(false)
  expect(broken.bytes).toBeLessThan(whole.bytes)
  mend()
  await until('it is logged', () => mistakes().length > 0)
  const err = expect.objectContaining({ message: expect.stringContaining('EIO') })
  expect(mistakes()).toEqual([expect.objectContaining({ level: 50, path: `/api/big?${path}`, status: 500, err })])
  expect((await ask('limit=1', encoding)).left).toBe(before.left - 1)
  await usesMore(1, 1, 1)
})

test('a client that disconnects in the middle is charged, and is not logged as our mistake', async () => {
  logged.length = 0
  const headers = await service.keyed('PRO')
  await new Promise<void>((resolve, reject) => {
    const request = get(`${service.url}/api/big?limit=${ROWS}&format=csv`, { headers, agent: false }, (reply) => {
      reply.once('data', () => request.destroy())
      reply.on('error', () => undefined)
      reply.on('close', resolve)
    }).on('error', reject)
  })
  await usesMore(1, 0, 1)
  expect(mistakes()).toEqual([])
})
