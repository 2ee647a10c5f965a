import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Problem, problem } from '../../define/problems.ts'

/** Bytes that are gathered before they are written to disk. */
const WRITE_BYTES = 256 * 1024
/** Bytes that are read at once. */
const READ_BYTES = 256 * 1024
/** Bytes from which on lines go on in another file. */
const PART_BYTES = 2 * 1024 ** 2
/** Time between two looks at a file that the engine writes, in ms. */
const LOOK_MS = 100

/** A finished file. It has no name any more: it is gone with the process, and once it is closed. */
export interface Spooled {
  readonly bytes: number
  read(): Promise<Buffer>
  /** Gives the file in pieces, in order; a piece is good until the work on it is done. */
  eachPiece(work: (piece: Buffer) => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** Where replies lie from when they are made until they are sent; bounded in bytes, those being sent included. */
export class Spool {
  readonly #folder: string
  readonly #most: number
  #bytes = 0

  /** `folder` is made when it is needed; `bytes` is what all files together may take. */
  constructor(options: { readonly folder: string; readonly bytes: number }) {
    this.#folder = options.folder
    this.#most = options.bytes
  }

  /** Bytes taken at the moment. */
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

/** Takes bytes of a spool, or gives them back where negative; throws where there are too many. */
type Take = (bytes: number) => void

/** Lines in several files, read one after the other: the engine's memory grows with a file. Whoever begins them drops them. */
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

  /** Writes what is left and gives the paths of the files, one at least. */
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

/** A file in the making: written here, or by the engine at `path`. Whoever begins it finishes or drops it. */
export class Draft {
  readonly path: string
  readonly #ofSpool: Take
  #file: FileHandle | null = null
  /** What waits to be written: one piece of memory, used again and again. */
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
    // No UTF-16 unit takes more than three bytes.
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

  /** Runs work in which the engine writes the file; its signal is aborted where the file becomes larger than there is room for. */
  async filled<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const overfull = new AbortController()
    let isUnderWay = true
    const look = async (): Promise<void> => {
      const bytes = await sizeOf(this.path)
      // A size from before the end, told after it, counts for nothing.
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

  /** Writes what is left and gives the file, without its name. */
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

  /** Writes what is left, so that the engine can read the file. */
  async flushed(): Promise<void> {
    await this.#flush()
    this.#waiting = null
    await this.#file?.close()
    this.#file = null
  }

  /** Removes the file and gives its room back. */
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

/** Reads a file into one piece of memory, again and again: what is made anew for each would be collected late. */
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
