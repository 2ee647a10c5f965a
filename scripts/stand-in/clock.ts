/** The stand-in's clock. */
export interface Clock {
  /** Ms since the epoch. */
  now(): number
  /** Moves it forward by some ms. Throws for a negative number, because publications cannot be taken back. */
  advance(by_ms: number): void
}

/**
 * A clock that starts at `start` (ms since the epoch) and runs `speed` times as fast as the machine's; with 0 it only moves on
 * request.
 */
export function makeClock({ start, speed, machine = Date.now }: { start: number; speed: number; machine?: () => number }): Clock {
  if (!(speed >= 0 && speed <= 100_000)) throw new RangeError(`speed: ${speed} is not in 0 … 100000`)
  const begun = machine()
  let moved = 0
  return {
    now: () => start + moved + (machine() - begun) * speed,
    advance(by_ms) {
      if (!(by_ms >= 0)) throw new RangeError(`advance: ${by_ms} ms is not a positive number`)
      moved += by_ms
    },
  }
}
