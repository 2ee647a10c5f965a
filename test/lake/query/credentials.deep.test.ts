import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type Lake, openLake } from '../../../lake/open.ts'
import { sql } from '../../../lake/query/sql.ts'
import { s3Store } from '../../../lake/store/s3.ts'
import type { S3Options } from '../../../lake/store/s3-client.ts'
import { httpfsAccess, httpfsFolder } from '../../helpers/httpfs.ts'
import { startS3 } from '../../helpers/s3-server.ts'
import { tempFolder } from '../../helpers/temp.ts'

const s3 = await startS3()
const keys = s3?.keys ?? null
const extensions = keys && httpfsFolder()
afterAll(() => s3?.stop())

const HOUR_MS = 3_600_000
const FILES = 400

/** Keys of a role, as a container gets them from its host: the SDK asks for them over HTTP. */
async function startRole(): Promise<{ asked: () => number; renew: (lifetime_ms: number) => Promise<() => Promise<void>>; url: string }> {
  let current: { readonly id: string; readonly secret: string; readonly expires_at: number } | null = null
  let count = 0
  const server = createServer((_request, response) => {
    count++
    const { id, secret, expires_at } = current as NonNullable<typeof current>
    const Expiration = new Date(expires_at).toISOString()
    response.setHeader('Content-Type', 'application/json')
    // The server has keys that end, but no session tokens.
    response.end(JSON.stringify({ AccessKeyId: id, SecretAccessKey: secret, Token: '', Expiration }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {
    asked: () => count,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    renew: async (lifetime_ms) => {
      const made = { accessKeyId: `role-${randomUUID()}`, secretAccessKey: randomUUID() }
      await keys?.add(made)
      current = { id: made.accessKeyId, secret: made.secretAccessKey, expires_at: Date.now() + lifetime_ms }
      return async () => keys?.remove(made)
    },
  }
}

/** A lake whose keys come from the SDK's chain, with files of one row that no query has read yet. */
async function openRoleLake(role: { readonly url: string }): Promise<{ lake: Lake; read: () => Promise<void> }> {
  const options = (s3 as NonNullable<typeof s3>).fresh()
  const writer = s3Store(options)
  for (let at = 0; at < FILES; at += 50)
    await Promise.all(Array.from({ length: 50 }, (_, more) => writer.put(`lake/${at + more}.csv`, Buffer.from(`n\n${at + more}\n`))))
  await writer.close()
  const { credentials: _, ...ofRole } = options
  setEnv({ AWS_CONTAINER_CREDENTIALS_FULL_URI: role.url, AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined })
  const folder = tempFolder()
  const store = s3Store(ofRole as S3Options)
  const lake = await openLake({
    store,
    spool: join(folder, 'spool'),
    ...{ memory: 500e6, spill: 1e9, threads: 2, slots: 2, httpfs: httpfsAccess(extensions as string, ofRole as S3Options) },
  })
  onTestFinished(async () => {
    await lake.close()
    await store.close()
  })
  expect(lake.engine.rangeReads).toBe(true)
  let next = 0
  const read = async (): Promise<void> => {
    const file = next++
    expect(await lake.query(sql`SELECT n FROM read_csv(${`${options.url}/lake/${file}.csv`})`)).toEqual([{ n: file }])
    expect((await store.get(`lake/${file}.csv`))?.toString()).toBe(`n\n${file}\n`)
  }
  return { lake, read }
}

function setEnv(values: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    const former = process.env[name]
    const set = (to: string | undefined): void => {
      if (to === undefined) delete process.env[name]
      else process.env[name] = to
    }
    set(value)
    onTestFinished(() => set(former))
  }
}

test.skipIf(!extensions)(
  'no query fails while the keys of a role expire and are renewed',
  async () => {
    const role = await startRole()
    const lifetime_ms = 6000
    let end = await role.renew(lifetime_ms)
    const { read } = await openRoleLake(role)
    let isOver = false
    let reads = 0
    const readers = Array.from({ length: 2 }, async () => {
      while (!isOver) {
        await read()
        reads++
        await delay(100)
      }
    })
    const changes = async (): Promise<void> => {
      for (let change = 0; change < 3; change++) {
        await delay(lifetime_ms / 2)
        const endNext = await role.renew(lifetime_ms)
        await delay(lifetime_ms / 2)
        // Expired keys no longer work.
        await end()
        end = endNext
      }
    }
    await Promise.all([...readers, changes().finally(() => (isOver = true))])
    expect(reads).toBeGreaterThan(10)
  },
  120_000,
)

test.skipIf(!extensions)(
  'keys that are withdrawn before they expire are requested again, once',
  async () => {
    const role = await startRole()
    const end = await role.renew(HOUR_MS)
    const { read } = await openRoleLake(role)
    await read()
    const before = role.asked()
    await role.renew(HOUR_MS)
    await end()
    await Promise.all([read(), read()])
    // The store and the engine keep keys of their own.
    expect(role.asked() - before).toBeLessThanOrEqual(2)
    await read()
    expect(role.asked() - before).toBeLessThanOrEqual(2)
  },
  60_000,
)

test.skipIf(!extensions)(
  'a refusal of keys that are the newest is an error',
  async () => {
    const role = await startRole()
    const end = await role.renew(HOUR_MS)
    const { read } = await openRoleLake(role)
    await end()
    const before = role.asked()
    await expect(read()).rejects.toThrow(/HTTP.*40[03]/)
    expect(role.asked() - before).toBe(1)
  },
  60_000,
)
