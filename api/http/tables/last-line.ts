import { open } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'

/** Bytes at the end of a file that are searched for its last lines; on failure four times as many. */
const TAIL_BYTES = 16 * 1024
const [QUOTE, CR, LF] = Buffer.from('"\r\n')

/**
 * Cuts the last line off a CSV file whose lines end with CR LF. Returns the cells of the line before it; null for an empty cell.
 */
export async function cutLastLine(path: string): Promise<readonly (string | null)[]> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    for (let most = TAIL_BYTES; ; most *= 4) {
      const begin = Math.max(0, size - most)
      const tail = Buffer.allocUnsafe(size - begin)
      await file.read(tail, 0, tail.length, begin)
      const [last, before] = lineStarts(tail)
      if (last !== undefined && before !== undefined) {
        await file.truncate(begin + last)
        return cellsOf(tail.toString('utf8', before, last))
      }
      if (begin === 0) throw new Error('the file does not have the rows that were written')
    }
  } finally {
    await file.close()
  }
}

/** Returns where the last two lines in the end of a file begin, the last one first; fewer if it does not reach that far. */
function lineStarts(tail: Buffer): number[] {
  const starts: number[] = []
  // Quotes are paired, so also from the end an odd number of them means that a cell continues.
  let isQuoted = false
  for (let at = tail.length - 3; at > 0 && starts.length < 2; at--) {
    if (tail[at] === QUOTE) isQuoted = !isQuoted
    if (!isQuoted && tail[at] === LF && tail[at - 1] === CR) starts.push(at + 1)
  }
  return starts
}

function cellsOf(line: string): readonly (string | null)[] {
  const [cells] = parse(line, {
    record_delimiter: '\r\n',
    cast: (text, { quoting }) => (text === '' && !quoting ? null : text),
  }) as (string | null)[][]
  return cells as (string | null)[]
}
