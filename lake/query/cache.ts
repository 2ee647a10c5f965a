import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isRunning, processId, takeLock } from '../process-lock.ts'
import type { ObjectStore } from '../store/store.ts'
import { aborted } from './aborted.ts'
import { QueryError } from './errors.ts'

/** An object that a query needs locally; its size as in the manifest. */
export interface CachedObject {
  readonly key: string
  readonly bytes: number
}

/** Local paths of objects, which stay until `release`. */
export interface Held {
  readonly path: (key: string) => string
  release(): void
}

/** A local cache of whole immutable objects, with bounded size. */
export interface FileCache {
  /**
   * Fetches objects and keeps them until released. Waits while other queries leave no space. Throws `cache-full` if they could
   * never fit, and for a missing object or one that differs from its manifest.
   */
  hold(objects: readonly CachedObject[], signal: AbortSignal): Promise<Held>
  /** Bytes on disk: of objects in use, and in total. */
  readonly usage: { readonly held: number; readonly total: number }
  /** Stops fetches and releases the folder; call it when no query reads any more. */
  close(): Promise<void>
}

/** Location of a cache. */
export interface CacheOptions {
  /** Folder of all caches of a data folder. */
  readonly folder: string
  /** Name of the owner, such as `api`. One process gets the folder of a name; a further process gets its own while it runs. */
  readonly name: string
  readonly maxBytes: number
}

interface Entry {
  readonly key: string
  readonly bytes: number
  readonly path: string
  holders: number
  usedAt: number
  /** Resolves when the file is complete and verified; shared by all callers. */
  readonly ready: () => Promise<void>
}

interface Seal {
  readonly key: string
  readonly bytes: number
  readonly sha256: string
}

const MAGIC = 'PAR1'

/**
 * Opens a cache with the files of an earlier process of its name. A file's SHA-256 is stored next to it and checked on first use
 * in a process; size and Parquet's magic are checked after fetching. Least recently used files are evicted first, never one in
 * use.
 */
export async function openFileCache(options: CacheOptions & { readonly store: ObjectStore }): Promise<FileCache> {
  const folder = await claimCacheFolder(options.folder, options.name)
  const cache = new FolderCache({ ...options, folder })
  try {
    await cache.adopt()
    return cache
  } catch (error) {
    await folder.release()
    throw error
  }
}

class FolderCache implements FileCache {
  readonly #store: ObjectStore
  readonly #folder: CacheFolder
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  readonly #fetching = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  /** Queue of callers waiting for space. */
  #turn: Promise<void> = Promise.resolve()
  #released: (() => void)[] = []
  #uses = 0

  constructor(options: { readonly store: ObjectStore; readonly folder: CacheFolder; readonly maxBytes: number }) {
    this.#store = options.store
    this.#folder = options.folder
    this.#maxBytes = options.maxBytes
  }

  get usage(): { readonly held: number; readonly total: number } {
    const entries = [...this.#entries.values()]
    return { held: sum(entries.filter((entry) => entry.holders > 0)), total: sum(entries) }
  }

  /** Adopts sealed files in the order of their last use; removes anything else. */
  async adopt(): Promise<void> {
    const found: { seal: Seal; path: string; usedAt: number }[] = []
    const names = new Set(await readdir(this.#folder.path))
    for (const name of names) {
      const path = join(this.#folder.path, name)
      if (name.endsWith('.seal') && names.has(name.replace(/\.seal$/, '.parquet'))) continue
      const seal = name.endsWith('.parquet') ? await readSeal(path) : null
      const at = await stat(path)
      if (seal && seal.bytes === at.size) found.push({ seal, path, usedAt: at.atimeMs })
      else await remove(path)
    }
    for (const { seal, path } of found.sort((one, other) => one.usedAt - other.usedAt))
      this.#entries.set(seal.key, {
        ...seal,
        path,
        holders: 0,
        usedAt: this.#uses++,
        ready: this.#once(seal.key, () => this.#check(seal, path)),
      })
    await this.#evict()
  }

  async hold(objects: readonly CachedObject[], signal: AbortSignal): Promise<Held> {
    this.#closing.signal.throwIfAborted()
    const needed = [...new Map(objects.map((object) => [object.key, object])).values()]
    const bytes = sum(needed)
    if (bytes > this.#maxBytes)
      throw new QueryError('cache-full', `the query reads ${bytes} bytes of files, the local cache has a capacity of ${this.#maxBytes}`)
    const claimed: Entry[] = []
    const before = this.#turn
    let next: () => void = () => {}
    this.#turn = new Promise((resolve) => (next = resolve))
    try {
      await Promise.race([before, aborted(signal)])
      // All or nothing: two queries that each have half of their files would deadlock.
      while (this.#heldBeside(needed) + bytes > this.#maxBytes) await this.#aRelease(signal)
      for (const object of needed) claimed.push(this.#claim(object))
      await this.#evict()
    } finally {
      // A caller that gives up while waiting does not let the next one overtake.
      void before.then(next)
    }
    const release = (): void => {
      for (const entry of claimed.splice(0)) entry.holders--
      for (const wake of this.#released.splice(0)) wake()
    }
    const paths = new Map(claimed.map(({ key, path }) => [key, path]))
    try {
      // All of them: a file must not be released while it is still being fetched.
      const all = await Promise.allSettled(claimed.map((entry) => entry.ready()))
      for (const one of all) if (one.status === 'rejected') throw one.reason
      signal.throwIfAborted()
    } catch (error) {
      release()
      throw error
    }
    return { path: (key) => paths.get(key) as string, release }
  }

  async close(): Promise<void> {
    this.#closing.abort(new QueryError('closed', 'the local cache is being closed'))
    await Promise.all(this.#fetching)
    await this.#folder.release()
  }

  #claim({ key, bytes }: CachedObject): Entry {
    const known = this.#entries.get(key)
    if (known) {
      known.holders++
      known.usedAt = this.#uses++
      return known
    }
    const path = join(this.#folder.path, `${createHash('sha256').update(key).digest('hex').slice(0, 40)}.parquet`)
    const ready = this.#once(key, () => this.#fetch({ key, bytes }, path))
    const entry: Entry = { key, bytes, path, holders: 1, usedAt: this.#uses++, ready }
    this.#entries.set(key, entry)
    return entry
  }

  /** Makes an entry's file ready once for all callers. On failure the entry is removed, and the next caller starts again. */
  #once(key: string, work: () => Promise<void>): () => Promise<void> {
    let running: Promise<void> | null = null
    const run = async (): Promise<void> => {
      try {
        await work()
      } catch (error) {
        this.#entries.delete(key)
        throw error
      }
    }
    return () => {
      if (running) return running
      running = run()
      const settled = running.catch(() => undefined).finally(() => this.#fetching.delete(settled))
      this.#fetching.add(settled)
      return running
    }
  }

  #heldBeside(needed: readonly CachedObject[]): number {
    const mine = new Set(needed.map(({ key }) => key))
    return sum([...this.#entries.values()].filter((entry) => entry.holders > 0 && !mine.has(entry.key)))
  }

  async #aRelease(signal: AbortSignal): Promise<void> {
    await Promise.race([new Promise<void>((resolve) => this.#released.push(resolve)), aborted(signal)])
  }

  async #evict(): Promise<void> {
    const idle = [...this.#entries.values()].filter((entry) => entry.holders === 0).sort((one, other) => one.usedAt - other.usedAt)
    for (const entry of idle) {
      if (this.usage.total <= this.#maxBytes) return
      this.#entries.delete(entry.key)
      await remove(entry.path)
    }
  }

  async #fetch(entry: CachedObject, path: string): Promise<void> {
    const body = await this.#store.getStream(entry.key)
    if (!body) throw new QueryError('failed', `${entry.key} is not in the store`)
    const partial = `${path}.partial`
    try {
      const sha256 = await this.#write(body, partial)
      await verify(partial, entry)
      const seal: Seal = { key: entry.key, bytes: entry.bytes, sha256 }
      await writeFile(sealOf(path), JSON.stringify(seal))
      await rename(partial, path)
    } finally {
      await rm(partial, { force: true })
    }
  }

  async #write(body: AsyncIterable<Buffer>, path: string): Promise<string> {
    const hash = createHash('sha256')
    const file = await open(path, 'w')
    try {
      for await (const bytes of body) {
        this.#closing.signal.throwIfAborted()
        hash.update(bytes)
        await file.write(bytes)
      }
    } finally {
      await file.close()
    }
    return hash.digest('hex')
  }

  /** A file of an earlier process: hashed once, and fetched again if it does not match its seal. */
  async #check(seal: Seal, path: string): Promise<void> {
    if ((await hashOf(path)) === seal.sha256) return
    await remove(path)
    await this.#fetch(seal, path)
  }
}

/** SHA-256 of a file; null if it cannot be read. */
async function hashOf(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer)
  } catch {
    return null
  }
  return hash.digest('hex')
}

function sum(items: Iterable<{ readonly bytes: number }>): number {
  let bytes = 0
  for (const item of items) bytes += item.bytes
  return bytes
}

function sealOf(path: string): string {
  return path.replace(/\.parquet$/, '.seal')
}

/** The seal of a cached file; null if missing or torn by a crash. */
async function readSeal(path: string): Promise<Seal | null> {
  const text = await readFile(sealOf(path), 'utf8').catch(() => '')
  try {
    const { key, bytes, sha256 } = JSON.parse(text) as Partial<Seal>
    return typeof key === 'string' && typeof bytes === 'number' && typeof sha256 === 'string' ? { key, bytes, sha256 } : null
  } catch {
    return null
  }
}

async function remove(path: string): Promise<void> {
  await rm(path, { force: true })
  await rm(sealOf(path), { force: true })
}

async function verify(path: string, { key, bytes }: CachedObject): Promise<void> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    if (size !== bytes) throw new QueryError('failed', `${key} has ${size} bytes, its manifest says ${bytes}`)
    const ends = Buffer.alloc(MAGIC.length * 2)
    await file.read(ends, 0, MAGIC.length, 0)
    await file.read(ends, MAGIC.length, MAGIC.length, size - MAGIC.length)
    if (ends.toString('latin1') !== MAGIC + MAGIC) throw new QueryError('failed', `${key} is no Parquet file`)
  } finally {
    await file.close()
  }
}

/** A folder owned by one cache. */
export interface CacheFolder {
  readonly path: string
  /** Releases it. Its files stay for the next owner of the name; the own folder of a further process is deleted. */
  release(): Promise<void>
}

/** `<name>-<mark of a process>-<number>`: the folder of a further process. */
const OWN = /-(\d+-\d+)-\d+$/
let opened = 0

/**
 * Takes the folder of a name inside `root`; if a running process has it, a folder of this process only, deleted on release. Own
 * folders of ended processes are removed.
 */
export async function claimCacheFolder(root: string, name: string): Promise<CacheFolder> {
  await mkdir(root, { recursive: true })
  for (const found of await readdir(root)) {
    const mark = OWN.exec(found)?.[1]
    if (mark && !isRunning(mark)) await rm(join(root, found), { recursive: true, force: true })
  }
  const taken = takeLock(join(root, `${name}.pid`))
  const isShared = typeof taken !== 'string'
  const path = resolve(root, isShared ? name : `${name}-${processId()}-${opened++}`)
  await mkdir(path, { recursive: true })
  return {
    path,
    release: async () => {
      if (isShared) taken()
      else await rm(path, { recursive: true, force: true })
    },
  }
}
