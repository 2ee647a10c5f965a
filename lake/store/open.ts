import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { StoreError } from './errors.ts'
import { fileStore } from './file.ts'
import type { S3Options } from './s3-client.ts'
import type { ObjectStore } from './store.ts'

const RACERS = 8

/**
 * Opens the store of a URL: `file:///absolute/folder` or `s3://bucket/prefix`; other options are for S3 only. Throws `StoreError`
 * for another scheme. The caller runs `selfTest` first, and closes the store at the end.
 */
export async function openStore(options: S3Options): Promise<ObjectStore> {
  const { url } = options
  // The SDK takes 30 MB of memory, which a process with a folder does not need.
  if (url.startsWith('s3://')) return (await import('./s3.ts')).s3Store(options)
  if (url.startsWith('file://')) return fileStore(localFolder(url))
  throw new StoreError(`store url ${JSON.stringify(url)} is not allowed: expected file:///absolute/folder or s3://bucket/prefix`, {
    code: 'invalid-url',
  })
}

/**
 * Tests the store's guarantees for commits: a key can be written only once, even concurrently; the first body is stored whole;
 * there is a clock. Cleans up. Throws `StoreError` with the store and its fault.
 */
export async function selfTest(store: ObjectStore): Promise<void> {
  const key = `system/self-test/${randomUUID()}`
  const tried = await Promise.allSettled([testOrder(store, `${key}.order`), testRace(store, `${key}.race`), store.now()])
  const cleaned = await Promise.allSettled([store.delete(`${key}.order`), store.delete(`${key}.race`)])
  // The store's fault takes precedence over clean-up errors that it caused.
  for (const step of [...tried, ...cleaned]) if (step.status === 'rejected') throw step.reason
}

async function testOrder(store: ObjectStore, key: string): Promise<void> {
  const [first, second] = [Buffer.from(`first ${randomUUID()}`), Buffer.from(`second ${randomUUID()}`)]
  if (!(await store.putIfAbsent(key, first))) throw unfit(store, 'it rejected the first conditional put of a new key')
  if (await store.putIfAbsent(key, second))
    throw unfit(store, 'it accepted a second conditional put of one key (If-None-Match: *), so that commits would overwrite each other')
  const found = await store.get(key)
  if (!found?.equals(first))
    throw unfit(store, `after two conditional puts of one key it gives ${found ? 'other bytes than the first' : 'nothing'}`)
}

async function testRace(store: ObjectStore, key: string): Promise<void> {
  const bodies = Array.from({ length: RACERS }, (_, at) => Buffer.from(`${at} ${randomUUID()}`))
  const replies = await Promise.allSettled(bodies.map((body) => store.putIfAbsent(key, body)))
  for (const reply of replies) if (reply.status === 'rejected') throw reply.reason
  const winners = bodies.filter((_, at) => (replies[at] as PromiseFulfilledResult<boolean>).value)
  if (winners.length !== 1) throw unfit(store, `of ${RACERS} conditional puts of one key at the same time it accepted ${winners.length}`)
  if (!(await store.get(key))?.equals(winners[0] as Buffer))
    throw unfit(store, 'after conditional puts at the same time it gives other bytes than the accepted ones')
}

function unfit(store: ObjectStore, reason: string): StoreError {
  return new StoreError(`the store ${store.url} cannot hold a lake: ${reason}`, { code: 'no-conditional-put' })
}

function localFolder(url: string): string {
  try {
    return fileURLToPath(url)
  } catch (cause) {
    throw new StoreError(`store url ${JSON.stringify(url)} is not file:///absolute/folder`, { code: 'invalid-url', cause })
  }
}
