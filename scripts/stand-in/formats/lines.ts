/** Lines per piece of a file: they are written at once, and other requests are answered between two pieces. */
const PIECE = 10_000

/** A text of lines that end in LF, with a header, in pieces that are written on demand. */
export function* inPieces(header: string, lines: Iterable<string>): Generator<string> {
  let some = [header]
  for (const line of lines) {
    some.push(line)
    if (some.length < PIECE) continue
    yield `${some.join('\n')}\n`
    some = []
  }
  if (some.length > 0) yield `${some.join('\n')}\n`
}
