import { essenceOf, type Format } from '../formats.ts'

/**
 * Returns the format that an Accept header prefers among those of an endpoint, the first on a tie; null if it accepts none of
 * them. Without a header, every format is accepted.
 */
export function formatFor(header: string | undefined, formats: readonly Format[]): Format | null {
  const types: Partial<Record<Format, string>> = Object.fromEntries(formats.map((format) => [format, essenceOf(format)]))
  return acceptedType(header, types)
}

/**
 * Returns the name of the media type that an Accept header prefers (RFC 9110 §12.5.1), the first on a tie; null if it accepts
 * none of them. Without a header, every type is accepted.
 */
export function acceptedType<N extends string>(header: string | undefined, types: Readonly<Partial<Record<N, string>>>): N | null {
  const ranges = (header || '*/*').split(',').map(readRange)
  let best: N | null = null
  let bestWeight = 0
  for (const [name, type] of Object.entries(types) as [N, string][]) {
    const weight = weightOf(type, ranges)
    if (weight <= bestWeight) continue
    best = name
    bestWeight = weight
  }
  return best
}

interface Range {
  readonly type: string
  readonly weight: number
}

function readRange(text: string): Range {
  const [type = '', ...params] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = params.find((part) => part.startsWith('q='))
  const value = weight === undefined ? 1 : Number(weight.slice(2))
  return { type, weight: value >= 0 && value <= 1 ? value : 0 }
}

/** Returns the weight of the most specific range that covers the type. */
function weightOf(essence: string, ranges: readonly Range[]): number {
  const [main] = essence.split('/')
  for (const type of [essence, `${main}/*`, '*/*']) {
    const range = ranges.find((one) => one.type === type)
    if (range) return range.weight
  }
  return 0
}
