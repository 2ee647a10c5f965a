import { createHash, randomBytes } from 'node:crypto'
import { fileStore } from '../../../lake/store/file.ts'

// A program that file.test.ts starts, and kills. `writer.ts write <root>` writes objects of all sizes without end. `writer.ts
// race <root> <n>` tries to be the first at n keys and prints those it won.

const HASH_BYTES = 32

/** A body that shows whether it is complete: the SHA-256 of its rest, then the rest. */
export function sealed(bytes: number): Buffer {
  const rest = randomBytes(bytes)
  return Buffer.concat([createHash('sha256').update(rest).digest(), rest])
}

/** True for a whole body of `sealed`. */
export function isWhole(body: Buffer): boolean {
  return createHash('sha256').update(body.subarray(HASH_BYTES)).digest().equals(body.subarray(0, HASH_BYTES))
}

async function write(root: string): Promise<never> {
  const store = await fileStore(root)
  process.stdout.write('begun\n')
  for (let at = 0; ; at++) {
    const body = sealed((at % 7) * 400_000)
    await Promise.all([
      store.put(`kept/${at % 5}`, body),
      store.put(`streams/${at % 5}/part`, pieces(body)),
      store.putIfAbsent(`once/${at % 10}/${process.pid}-${at}`, body),
    ])
  }
}

async function* pieces(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += 50_000) yield body.subarray(at, at + 50_000)
}

async function race(root: string, count: number): Promise<void> {
  const store = await fileStore(root)
  for (let at = 0; at < count; at++) {
    const key = `metadata/v${at}.json`
    if (await store.putIfAbsent(key, Buffer.from(String(process.pid)))) process.stdout.write(`${key}\n`)
  }
}

const [, program, task, root = '', count] = process.argv
if (program === import.meta.filename) await (task === 'race' ? race(root, Number(count)) : write(root))
