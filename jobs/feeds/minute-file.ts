import { FormatError } from './define.ts'

/** A message of a stream and when it was received, ms. */
export interface StreamLine {
  readonly at: number
  readonly text: string
}

/** The line of a minute file for a message; `text` has no line break. */
export function minuteLine(at: number, text: string): string {
  return `${at}\t${text}\n`
}

/** The line of a minute file with the counts of dropped frames, by reason. */
export function countsLine(counts: Readonly<Record<string, number>>): string {
  return `#\t${JSON.stringify(counts)}\n`
}

/**
 * The lines of a minute file, in order. A line without a time gets the file's (`fetchedAt`), so plain recordings can be read
 * too. `onCounts` gets the counts of dropped frames. Throws `FormatError` if these are damaged.
 */
export function* minuteLines(
  bytes: Buffer,
  fetchedAt: number,
  onCounts: (counts: Readonly<Record<string, number>>) => void,
): Generator<StreamLine & { readonly isTimed: boolean }> {
  for (const line of linesOf(bytes)) {
    if (line === '') continue
    const tab = line.indexOf('\t')
    const head = tab < 0 ? '' : line.slice(0, tab)
    if (head === '#') onCounts(countsOf(line.slice(2)))
    else if (/^\d{10,15}$/.test(head)) yield { at: Number(head), text: line.slice(tab + 1), isTimed: true }
    else yield { at: fetchedAt, text: line, isTimed: false }
  }
}

function* linesOf(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from)
    const to = end < 0 ? bytes.length : end
    yield bytes.toString('utf8', from, to).replace(/\r$/, '')
    from = to + 1
  }
}

function countsOf(text: string): Record<string, number> {
  try {
    return JSON.parse(text) as Record<string, number>
  } catch (cause) {
    throw new FormatError(`the counts of a minute file are no JSON: ${text.slice(0, 80)}`, { cause })
  }
}
