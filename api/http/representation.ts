import { essenceOf, type Format } from '../define/formats.ts'

/**
 * The representation for an Accept header (RFC 9110 §12.5.1) among those an endpoint has, JSON preferred among equals; null where the
 * header takes none of them. No header takes anything.
 */
export function formatFor(header: string | undefined, formats: readonly Format[]): Format | null {
  if (!header) return 'json'
  const ranges = header.split(',').map(readRange)
  let best: Format | null = null
  let bestWeight = 0
  for (const format of formats) {
    const weight = weightOf(essenceOf(format), ranges)
    if (weight <= bestWeight) continue
    best = format
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

/** The weight of the most specific range that covers the type. */
function weightOf(essence: string, ranges: readonly Range[]): number {
  const [main] = essence.split('/')
  for (const type of [essence, `${main}/*`, '*/*']) {
    const range = ranges.find((one) => one.type === type)
    if (range) return range.weight
  }
  return 0
}
