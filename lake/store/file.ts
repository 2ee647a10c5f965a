import { randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, readdir, realpath, rename, rm, unlink } from 'node:fs/promises'
import { dirname, join, parse, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import pLimit from 'p-limit'
import { StoreError, systemCode } from './errors.ts'
import { fileInfo, listFiles } from './file-list.ts'
import { checkKey, checkPrefix, checkRange } from './keys.ts'
import type { ObjectStore } from './store.ts'

const TEMP = '.tmp'
const DELETED_AT_ONCE = 16
const HOUR_MS = 3_600_000
const READ_CHUNK = 1 << 20

/**
 * Opens a folder as an object store, creating it if needed. Objects are written to `<root>/.tmp`, synced, then moved (`put`) or
 * linked (`putIfAbsent`), so they survive crashes whole or not at all. Links are not followed; `a` and `a/b` cannot both exist.
 * Errors are `StoreError` with the system code.
 */
export async function fileStore(root: string): Promise<ObjectStore> {
  const folder = resolve(root)
  if (folder === parse(folder).root)
    throw new StoreError(`folder ${folder} cannot be a store: name one of its own`, { code: 'invalid-key' })
  const files = new Files(folder)
  await files.open()
  return Object.freeze({
    url: pathToFileURL(folder).href,
    get: (key, range) => files.get(key, range),
    getStream: (key) => files.getStream(key),
    head: (key) => files.head(key),
    put: (key, body) => files.put(key, body),
    putFile: (key, path) => files.putFile(key, path),
    putIfAbsent: (key, body) => files.putIfAbsent(key, body),
    list: (prefix, options) => files.list(prefix, options?.startAfter ?? ''),
    delete: (key) => files.delete(key),
    deleteMany: async (keys) => {
      const limit = pLimit(DELETED_AT_ONCE)
      await Promise.all(keys.map((key) => limit(() => files.delete(key))))
    },
    location: (key) => files.path(key),
    signedUrl: async () => null,
    now: () => files.now(),
    close: async () => {},
  } satisfies ObjectStore)
}

type Body = Buffer | AsyncIterable<Buffer>

class Files {
  readonly #root: string
  #realRoot = ''
  /** Folders known to exist durably, with all their parents. */
  readonly #made = new Set<string>()
  /** Folders known not to be symbolic links. */
  readonly #plain = new Set<string>()

  constructor(root: string) {
    this.#root = root
  }

  async open(): Promise<void> {
    try {
      const first = await mkdir(this.#root, { recursive: true })
      this.#realRoot = await realpath(this.#root)
      if (first) await syncUpTo(dirname(this.#root), dirname(first))
    } catch (error) {
      throw this.#failure('open', '', error)
    }
    await this.#clearTemps()
  }

  path(key: string): string {
    checkKey(key)
    return join(this.#root, key)
  }

  async get(key: string, range?: { readonly start: number; readonly end: number }): Promise<Buffer | null> {
    if (range) checkRange(range)
    const opened = await this.#openObject(key)
    if (!opened) return null
    const { handle, bytes } = opened
    try {
      const start = Math.min(range?.start ?? 0, bytes)
      const buffer = Buffer.allocUnsafe(Math.min(range?.end ?? bytes, bytes) - start)
      let filled = 0
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled)
        if (bytesRead === 0) throw new Error(`the file ends at byte ${start + filled} of ${bytes}`)
        filled += bytesRead
      }
      return buffer
    } catch (error) {
      throw this.#failure('read', key, error)
    } finally {
      await handle.close()
    }
  }

  async getStream(key: string): Promise<AsyncIterable<Buffer> | null> {
    const opened = await this.#openObject(key)
    return opened && opened.handle.createReadStream({ highWaterMark: READ_CHUNK })
  }

  async head(key: string): ReturnType<ObjectStore['head']> {
    this.path(key)
    try {
      return (await this.#isPlain(dirname(join(this.#root, key)))) ? await fileInfo(this.#root, key) : null
    } catch (error) {
      throw this.#failure('look at', key, error)
    }
  }

  async put(key: string, body: Body): Promise<void> {
    const path = this.path(key)
    const temp = await this.#writeTemp(key, body)
    await this.#place(key, path, temp, rename)
  }

  async putFile(key: string, source: string): Promise<void> {
    const path = this.path(key)
    try {
      const handle = await open(source, constants.O_RDWR | constants.O_NOFOLLOW)
      try {
        if (!(await handle.stat()).isFile()) throw new Error(`${source} is not a file`)
        // The object's age starts now, by the store's clock: grace periods count from here, not from when the file was written.
        const now = (await this.now()) / 1000
        await handle.utimes(now, now)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await this.#move(source, path, rename)
    } catch (error) {
      if (systemCode(error) !== 'EXDEV') throw this.#failure('store', key, error)
      await this.put(key, createReadStream(source, { highWaterMark: READ_CHUNK }))
      await rm(source, { force: true })
    }
  }

  async putIfAbsent(key: string, body: Body): Promise<boolean> {
    const path = this.path(key)
    const temp = await this.#writeTemp(key, body)
    let created = true
    const linkOnce = async (from: string, to: string): Promise<void> => {
      try {
        await link(from, to)
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error
        created = await isSameFile(from, to)
      }
    }
    await this.#place(key, path, temp, linkOnce)
    return created
  }

  async *list(prefix: string, startAfter: string): ReturnType<ObjectStore['list']> {
    checkPrefix(prefix)
    try {
      if (!(await this.#isPlain(join(this.#root, prefix.slice(0, prefix.lastIndexOf('/') + 1))))) return
      yield* listFiles(this.#root, { prefix, startAfter })
    } catch (error) {
      throw this.#failure('list', prefix, error)
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.path(key)
    try {
      if (!(await this.#isPlain(dirname(path))) || !(await fileInfo(this.#root, key))) return
      await unlink(path)
      await syncFolder(dirname(path))
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw this.#failure('delete', key, error)
    }
  }

  /** Modification time of a new file: the file system's clock, which may be another machine's. */
  async now(): Promise<number> {
    const { path, handle } = await this.#openTemp()
    try {
      await handle.write('\n')
      return (await handle.stat()).mtimeMs
    } catch (error) {
      throw this.#failure('read the time of', '', error)
    } finally {
      await handle.close()
      await rm(path, { force: true })
    }
  }

  async #openObject(key: string): Promise<{ handle: FileHandle; bytes: number } | null> {
    const path = this.path(key)
    let handle: FileHandle | null = null
    try {
      if (!(await this.#isPlain(dirname(path)))) return null
      handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
      const stat = await handle.stat()
      if (stat.isFile()) return { handle, bytes: stat.size }
    } catch (error) {
      await handle?.close()
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'].includes(systemCode(error) ?? '')) return null
      throw this.#failure('read', key, error)
    }
    await handle.close()
    return null
  }

  async #openTemp(): Promise<{ path: string; handle: FileHandle }> {
    const path = join(this.#root, TEMP, `${process.pid}-${randomUUID()}`)
    try {
      try {
        return { path, handle: await open(path, 'wx') }
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') throw error
        await mkdir(join(this.#root, TEMP), { recursive: true })
        return { path, handle: await open(path, 'wx') }
      }
    } catch (error) {
      throw this.#failure('write in', TEMP, error)
    }
  }

  /** Writes a body to a synced temporary file and returns its path; removes it on failure. */
  async #writeTemp(key: string, body: Body): Promise<string> {
    const { path, handle } = await this.#openTemp()
    const during = <T>(step: Promise<T>): Promise<T> =>
      step.catch((error: unknown) => {
        throw this.#failure('write', key, error)
      })
    try {
      try {
        for await (const chunk of Buffer.isBuffer(body) ? [body] : body) await during(handle.writeFile(chunk))
        await during(handle.sync())
      } finally {
        await during(handle.close())
      }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
    return path
  }

  /** Moves a finished temporary file to its name, and always removes the temporary one. */
  async #place(key: string, path: string, temp: string, give: (from: string, to: string) => Promise<void>): Promise<void> {
    try {
      await this.#move(temp, path, give)
    } catch (error) {
      throw this.#failure('write', key, error)
    } finally {
      await rm(temp, { force: true })
    }
  }

  async #move(from: string, to: string, give: (from: string, to: string) => Promise<void>): Promise<void> {
    const folder = dirname(to)
    await this.#makeFolder(folder)
    try {
      await give(from, to)
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error
      // Another process removed the folder; if the source is missing, this throws again.
      this.#made.clear()
      await this.#makeFolder(folder)
      await give(from, to)
    }
    // Also if another's object was found: the caller must not see it vanish in a power failure.
    await syncFolder(folder)
  }

  async #makeFolder(folder: string): Promise<void> {
    if (folder === this.#root || this.#made.has(folder)) return
    await this.#makeFolder(dirname(folder))
    try {
      await mkdir(folder)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
      if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`, { cause: error })
    }
    // Also if it existed: its creator may not have synced it yet.
    await syncFolder(dirname(folder))
    this.#made.add(folder)
  }

  /** True for a folder reached without symbolic links, false if it does not exist. Throws if a link leads elsewhere. */
  async #isPlain(folder: string): Promise<boolean> {
    const path = resolve(folder)
    if (path === this.#root || this.#made.has(path) || this.#plain.has(path)) return true
    const expected = join(this.#realRoot, path.slice(this.#root.length))
    let real: string
    try {
      real = await realpath(path)
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return false
      throw error
    }
    if (real !== expected) throw new Error(`${path} leads to ${real}: symbolic links inside a store are not followed`)
    this.#plain.add(path)
    return true
  }

  async #clearTemps(): Promise<void> {
    const folder = join(this.#root, TEMP)
    try {
      for (const name of await this.#abandoned(folder)) await rm(join(folder, name), { force: true })
    } catch (error) {
      // A new store, or a read-only one.
      if (!['ENOENT', 'EROFS', 'EACCES'].includes(systemCode(error) ?? '')) throw this.#failure('open', '', error)
    }
  }

  async #abandoned(folder: string): Promise<string[]> {
    const names = await readdir(folder)
    if (names.length === 0) return []
    const now = await this.now()
    const left: string[] = []
    for (const name of names) {
      const written_at = await lstat(join(folder, name)).then(
        (stat) => stat.mtimeMs,
        () => now,
      )
      const age = now - written_at
      // A process that was only suspended gets an error for its missing file; it cannot write half an object.
      if (age > 24 * HOUR_MS || (age > HOUR_MS && !isWriterAlive(Number.parseInt(name, 10), written_at))) left.push(name)
    }
    return left
  }

  #failure(doing: string, key: string, error: unknown): StoreError {
    if (error instanceof StoreError) return error
    const code = systemCode(error) ?? 'failed'
    const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error))
    const what = key ? `${doing} ${JSON.stringify(key)} in` : doing
    return new StoreError(`cannot ${what} the store ${this.#root}: ${reason} (${code})`, { code, cause: error })
  }
}

const REASONS: Readonly<Record<string, string>> = Object.freeze({
  ENOSPC: 'no space left on its disk',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'its disk is read-only',
  EACCES: 'permission denied',
  EISDIR: 'there is a folder of that name',
  ENOTEMPTY: 'there is a folder of that name',
  EPERM: 'not permitted, or a file system without hard links, which put-if-absent needs',
  ENOTSUP: 'a file system without hard links, which put-if-absent needs',
})

async function isSameFile(a: string, b: string): Promise<boolean> {
  const [x, y] = await Promise.all([lstat(a, { bigint: true }), lstat(b, { bigint: true })])
  if (!y.isFile()) throw new Error(`${b} is not a file`)
  // NFS may repeat a link whose reply was lost and then find its own.
  return x.ino === y.ino && x.dev === y.dev
}

function isWriterAlive(pid: number, written_at: number): boolean {
  // A restarted container often has the same process id.
  if (pid === process.pid) return written_at >= Date.now() - process.uptime() * 1000
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCode(error) === 'EPERM'
  }
}

async function syncUpTo(folder: string, top: string): Promise<void> {
  for (let at = folder; at.startsWith(top); at = dirname(at)) {
    await syncFolder(at)
    if (at === top || at === sep) return
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } catch (error) {
    // File systems that cannot sync a folder (some network ones) report this.
    if (systemCode(error) !== 'EINVAL') throw error
  } finally {
    await handle.close()
  }
}
