import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Problem, problem } from '../../kernel/problems.ts'

/** Bytes that are collected before a write to disk. */
const WRITE_BYTES = 256 * 1024
/** Bytes of one read. */
const READ_BYTES = 256 * 1024
/** Bytes after which lines continue in another file. */
const PART_BYTES = 2 * 1024 ** 2
/** Polling interval for the size of a file that the engine writes, in ms. */
const LOOK_MS = 100

/** A finished file without a name: it disappears when it is closed or the process ends. */
export interface Spooled {
  readonly bytes: number
  read(): Promise<Buffer>
  /** Passes the file's pieces to `work` in order; a piece is valid until `work` is done. */
  eachPiece(work: (piece: Buffer) => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** The storage of replies from making to sending; bounded in bytes, including replies being sent. */
export class Spool {
  readonly #folder: string
  readonly #most: number
  #bytes = 0

  /** `folder` is created on first use; `bytes` limits all files together. */
  constructor(options: { readonly folder: string; readonly bytes: number }) {
    this.#folder = options.folder
    this.#most = options.bytes
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** Begins a file. */
  async begin(): Promise<Draft> {
    await mkdir(this.#folder, { recursive: true })
    return new Draft(join(this.#folder, randomUUID()), (bytes) => {
      this.#bytes += bytes
      if (bytes > 0 && this.#bytes > this.#most) throw full()
    })
  }
}

/** Takes bytes of a spool, or returns them if negative; throws if too many are in use. */
type Take = (bytes: number) => void

/** Lines in several files that are read in turn, because the engine's memory grows with a file. Their creator drops them. */
export class Parts {
  readonly #spool: Spool
  readonly #drafts: Draft[] = []

  constructor(spool: Spool) {
    this.#spool = spool
  }

  /** Adds a text of whole lines. */
  async write(lines: string): Promise<void> {
    const last = this.#drafts.at(-1)
    await (!last || last.bytes >= PART_BYTES ? await this.#next() : last).write(lines)
  }

  /** Writes the rest and returns the paths of the files, at least one. */
  async paths(): Promise<readonly string[]> {
    const last = this.#drafts.at(-1) ?? (await this.#next())
    await last.flushed()
    return this.#drafts.map(({ path }) => path)
  }

  /** Removes the files. */
  async drop(): Promise<void> {
    for (const draft of this.#drafts) await draft.drop()
  }

  async #next(): Promise<Draft> {
    await this.#drafts.at(-1)?.flushed()
    const draft = await this.#spool.begin()
    this.#drafts.push(draft)
    return draft
  }
}

/** An unfinished file, written here or by the engine at `path`. Its creator finishes or drops it. */
export class Draft {
  readonly path: string
  readonly #ofSpool: Take
  #file: FileHandle | null = null
  /** The write buffer: one piece of memory, used repeatedly. */
  #waiting: Buffer | null = null
  #end = 0
  #taken = 0

  constructor(path: string, take: Take) {
    this.path = path
    this.#ofSpool = take
  }

  /** Bytes written here so far. */
  get bytes(): number {
    return this.#taken + this.#end
  }

  /** Adds a text, or bytes. */
  async write(part: string | Uint8Array): Promise<void> {
    // A UTF-16 unit takes at most three bytes.
    const most = typeof part === 'string' ? 3 * part.length : part.length
    if (this.#end + most > WRITE_BYTES) await this.#flush()
    if (most > WRITE_BYTES) return await this.#append(typeof part === 'string' ? Buffer.from(part) : part)
    this.#waiting ??= Buffer.allocUnsafeSlow(WRITE_BYTES)
    if (typeof part === 'string') this.#end += this.#waiting.write(part, this.#end)
    else {
      this.#waiting.set(part, this.#end)
      this.#end += part.length
    }
  }

  /** Runs work in which the engine writes the file. Its signal is aborted if the file exceeds the spool's room. */
  async filled<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const overfull = new AbortController()
    let isUnderWay = true
    const look = async (): Promise<void> => {
      const bytes = await sizeOf(this.path)
      // A size read before the end but reported after it is ignored.
      if (isUnderWay) this.#take(bytes - this.#taken)
    }
    const looking = setInterval(() => void look().catch((problem: unknown) => overfull.abort(problem)), LOOK_MS)
    try {
      const made = await work(AbortSignal.any([signal, overfull.signal]))
      isUnderWay = false
      this.#take((await sizeOf(this.path)) - this.#taken)
      return made
    } catch (error) {
      throw overfull.signal.aborted ? overfull.signal.reason : error
    } finally {
      isUnderWay = false
      clearInterval(looking)
    }
  }

  /** Writes the rest and returns the file, without its name. */
  async finish(): Promise<Spooled> {
    await this.flushed()
    const file = await open(this.path, 'r')
    await rm(this.path)
    const bytes = this.#taken
    let isOpen = true
    return {
      bytes,
      read: async () => {
        const whole = Buffer.allocUnsafeSlow(bytes)
        await file.read(whole, 0, bytes, 0)
        return whole
      },
      eachPiece: (work) => eachPiece(file, work),
      close: async () => {
        if (!isOpen) return
        isOpen = false
        this.#ofSpool(-bytes)
        await file.close()
      },
    }
  }

  /** Writes the rest, so that the engine can read the file. */
  async flushed(): Promise<void> {
    await this.#flush()
    this.#waiting = null
    await this.#file?.close()
    this.#file = null
  }

  /** Removes the file and returns its room. */
  async drop(): Promise<void> {
    this.#end = 0
    await this.#file?.close()
    this.#file = null
    await rm(this.path, { force: true })
    this.#ofSpool(-this.#taken)
    this.#taken = 0
  }

  async #flush(): Promise<void> {
    const end = this.#end
    this.#end = 0
    await this.#append((this.#waiting ?? Buffer.alloc(0)).subarray(0, end))
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#take(bytes.length)
    this.#file ??= await open(this.path, 'a')
    await this.#file.appendFile(bytes)
  }

  #take(bytes: number): void {
    this.#taken += bytes
    this.#ofSpool(bytes)
  }
}

/** Reads a file repeatedly into one buffer: a new buffer for each piece would be collected late. */
async function eachPiece(file: FileHandle, work: (piece: Buffer) => Promise<void>): Promise<void> {
  const memory = Buffer.allocUnsafeSlow(READ_BYTES)
  let at = 0
  for (;;) {
    const { bytesRead } = await file.read(memory, 0, READ_BYTES, at)
    if (bytesRead === 0) return
    await work(memory.subarray(0, bytesRead))
    at += bytesRead
  }
}

function full(): Problem {
  return problem('temporary-reduced-capacity', 'Too many large replies are being sent; this one was not made.', { retry_after_s: 5 })
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}
