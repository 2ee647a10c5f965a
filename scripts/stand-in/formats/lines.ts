/** Lines that are one piece of a file: what is made at a time, so that others are answered between two of them. */
const PIECE = 10_000

/** A text of lines that end in LF, a header first, in pieces that are made when they are asked for. */
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
