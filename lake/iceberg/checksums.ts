import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import pLimit from 'p-limit'
import type { ObjectStore } from '../store/store.ts'
import { liveFiles } from './files.ts'
import type { TableState } from './table.ts'

const REQUESTS = 16
const SHA256 = /^[0-9a-f]{64}$/

/**
 * The key of the object with the checksum of a data file: `<table>/checksums/<name>.sha256`; null for other objects of a table.
 */
export function checksumKey(fileKey: string): string | null {
  const at = fileKey.lastIndexOf('/data/')
  return at === -1 ? null : `${fileKey.slice(0, at)}/checksums/${fileKey.slice(at + '/data/'.length)}.sha256`
}

/** The SHA-256 of a local file, in hexadecimal. */
export async function sha256OfFile(path: string): Promise<string> {
  return sha256Of(createReadStream(path, { highWaterMark: 1 << 20 }))
}

/** Stores the checksum of a data file. */
export async function putChecksum(store: ObjectStore, fileKey: string, sha256: string): Promise<void> {
  const key = checksumKey(fileKey)
  if (!key) throw new Error(`${fileKey} is no data file of a table`)
  await store.put(key, Buffer.from(sha256))
}

/** The stored SHA-256 of a data file, in hexadecimal; null if none is stored. */
export async function readChecksum(store: ObjectStore, fileKey: string): Promise<string | null> {
  const key = checksumKey(fileKey)
  const text = key && (await store.get(key))?.toString('latin1')
  return text && SHA256.test(text) ? text : null
}

/** Deletes objects of a table. The checksums of data files go first, so an interrupted deletion is found again. */
export async function deleteTableObjects(store: ObjectStore, keys: readonly string[]): Promise<void> {
  await store.deleteMany(keys.flatMap((key) => checksumKey(key) ?? []))
  await store.deleteMany(keys)
}

/** Stores the missing checksums of a table's live files: those written before checksums existed. Returns how many. */
export async function fillChecksums(state: TableState, signal: AbortSignal): Promise<number> {
  const { store, key } = state.table
  const there = new Set<string>()
  for await (const object of store.list(`${key}/checksums/`)) there.add(object.key)
  const missing = (await liveFiles(state)).filter((file) => !there.has(checksumKey(file.key) as string))
  const limit = pLimit(REQUESTS)
  const filled = await Promise.all(
    missing.map((file) =>
      limit(async () => {
        signal.throwIfAborted()
        const bytes = await store.getStream(file.key)
        if (!bytes) return false
        await putChecksum(store, file.key, await sha256Of(bytes))
        return true
      }),
    ),
  )
  return filled.filter(Boolean).length
}

async function sha256Of(bytes: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest('hex')
}
