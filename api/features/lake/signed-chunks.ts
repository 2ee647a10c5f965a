import { problem } from '../../kernel/problems.ts'

const LINE_END = Buffer.from('\r\n')
/** Longest line before a chunk, in bytes: its size, and a signature. */
const MAX_LINE = 300

/**
 * The bytes in a body that is encoded as `aws-chunked` ("Signature calculations: transferring payload in multiple chunks" of
 * Amazon S3): each chunk after a line with its size in hexadecimal digits. What follows the last one, of size 0, is read and
 * left out; signatures of single chunks are not checked. Throws `malformed-request` for a body that is not so.
 */
export async function* decodedChunks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let left = 0
  let isBetween = true
  let isOver = false
  for await (const piece of source) {
    if (isOver) continue
    held = held.length === 0 ? piece : Buffer.concat([held, piece])
    for (;;) {
      if (left > 0) {
        const data = held.subarray(0, left)
        if (data.length === 0) break
        left -= data.length
        held = held.subarray(data.length)
        isBetween = false
        yield data
        continue
      }
      const end = held.indexOf(LINE_END)
      if (end === -1 && held.length <= MAX_LINE) break
      if (!isBetween) {
        if (end !== 0) throw malformed()
        held = held.subarray(LINE_END.length)
        isBetween = true
        continue
      }
      const [, size] = /^([0-9a-f]{1,8})(?:;.*)?$/i.exec(held.subarray(0, Math.max(end, 0)).toString('latin1')) ?? []
      if (end > MAX_LINE || size === undefined) throw malformed()
      held = held.subarray(end + LINE_END.length)
      left = Number.parseInt(size, 16)
      if (left > 0) continue
      isOver = true
      break
    }
  }
  if (!isOver) throw malformed()
}

function malformed(): Error {
  return problem('malformed-request', 'The body is not encoded as aws-chunked, or was cut off.')
}
