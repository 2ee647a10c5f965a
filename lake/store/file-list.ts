import type { Dir } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from './errors.ts'
import { compareKeys, isKey } from './keys.ts'
import type { ObjectInfo } from './store.ts'

// Number of files to stat together: enough to keep the disk busy, few enough for a fast first result.
const STAT_BATCH = 64

/** Range of a listing: keys with `prefix` that sort after `startAfter`. */
export interface ListRange {
  readonly prefix: string
  readonly startAfter: string
}

/**
 * Lists the files in a folder as objects, in byte order of whole keys: a folder sorts with its slash, so `a-b` is before `a/b`.
 * Only folders that can contain a wanted key are read. Symbolic links and invalid key names are skipped.
 */
export async function* listFiles(root: string, range: ListRange): AsyncGenerator<ObjectInfo> {
  const base = range.prefix.slice(0, range.prefix.lastIndexOf('/') + 1)
  yield* listFolder(root, base, range)
}

async function* listFolder(root: string, base: string, range: ListRange): AsyncGenerator<ObjectInfo> {
  // Names for sorting: a folder has its slash.
  const names = await wantedNames(join(root, base), base, range)
  let files: string[] = []
  for (const name of names) {
    if (!name.endsWith('/')) files.push(base + name)
    if (name.endsWith('/') || files.length === STAT_BATCH) {
      yield* objects(root, files)
      files = []
    }
    if (name.endsWith('/')) yield* listFolder(root, base + name, range)
  }
  yield* objects(root, files)
}

async function wantedNames(folder: string, base: string, range: ListRange): Promise<string[]> {
  const entries = await openFolder(folder)
  if (!entries) return []
  const names: string[] = []
  for await (const entry of entries) {
    const isIn = entry.isDirectory() ? mayHoldWanted(`${base}${entry.name}/`, range) : entry.isFile() && isWanted(base + entry.name, range)
    if (isIn && isKey(base + entry.name)) names.push(entry.isFile() ? entry.name : `${entry.name}/`)
  }
  return names.sort(compareKeys)
}

async function openFolder(path: string): Promise<Dir | null> {
  try {
    return await opendir(path, { bufferSize: 1024 })
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

function isWanted(key: string, { prefix, startAfter }: ListRange): boolean {
  return key.startsWith(prefix) && compareKeys(key, startAfter) > 0
}

function mayHoldWanted(folder: string, { prefix, startAfter }: ListRange): boolean {
  if (!folder.startsWith(prefix)) return false
  return startAfter.startsWith(folder) || compareKeys(folder, startAfter) > 0
}

async function* objects(root: string, keys: readonly string[]): AsyncGenerator<ObjectInfo> {
  for (const info of await Promise.all(keys.map((key) => fileInfo(root, key)))) if (info) yield info
}

/** Information about an object's file; null if there is no regular file. */
export async function fileInfo(root: string, key: string): Promise<ObjectInfo | null> {
  try {
    const stat = await lstat(join(root, key))
    return stat.isFile() ? { key, bytes: stat.size, modified_at: stat.mtimeMs } : null
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}
