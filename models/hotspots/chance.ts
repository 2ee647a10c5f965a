/** A generator of numbers 0 ≤ x < 1. */
export type Dice = () => number

/** Creates a random generator seeded by a text (FNV-1a, then mulberry32 by Tommy Ettinger, public domain). */
export function seeded(text: string): Dice {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** A Poisson random number with a mean, as a sum of parts with means of at most 30, each by inversion. */
export function poisson(mean: number, dice: Dice): number {
  let count = 0
  for (let rest = mean; rest > 0; rest -= 30) {
    const part = Math.min(rest, 30)
    const least = Math.exp(-part)
    let product = dice()
    while (product > least) {
      count += 1
      product *= dice()
    }
  }
  return count
}

/** A random displacement (in bandwidths), distributed like a kernel in two dimensions. */
export function displacement(kernel: 'EPANECHNIKOV' | 'GAUSSIAN', dice: Dice): readonly [number, number] {
  const angle = 2 * Math.PI * dice()
  // Radii: Gaussian by Box and Muller; for Epanechnikov the share of the volume within r is 2r² − r⁴.
  const radius = kernel === 'GAUSSIAN' ? Math.sqrt(-2 * Math.log(1 - dice())) : Math.sqrt(1 - Math.sqrt(1 - dice()))
  return [radius * Math.cos(angle), radius * Math.sin(angle)]
}

/**
 * The q-values of p-values by Benjamini and Hochberg (1995), in the given order: the least false discovery rate at which each is
 * significant.
 */
export function falseDiscovery(p: readonly number[]): number[] {
  const order = p.map((_, at) => at).sort((one, other) => (p[other] as number) - (p[one] as number))
  const q = new Array<number>(p.length)
  let least = 1
  for (const [nth, at] of order.entries()) {
    least = Math.min(least, ((p[at] as number) * p.length) / (p.length - nth))
    q[at] = least
  }
  return q
}
