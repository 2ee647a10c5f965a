/** The static part of the generated Spain. Everything that changes is a function of it and an instant. */
export interface World {
  readonly seed: number
  readonly scale: Scale
  readonly archives: Archives
  /** A part of it, computed on first use and cached. */
  part<T>(part: WorldPart<T>): T
}

/**
 * A publisher's knowledge of the world: roads, sensors, stations. It is declared beside its code, so that this file depends on no
 * part.
 */
export interface WorldPart<T> {
  readonly make: (world: World) => T
}

/**
 * Size of the generated Spain: as in 2026, or slightly above the minimums of the feeds' checks, so that a publication is parsed
 * in milliseconds.
 */
export type Scale = 'full' | 'small'

/**
 * Length of archive files: far shorter than the publishers', for fast reading, or as long as theirs, whose sizes are in the notes
 * on the formats.
 */
export type Archives = 'short' | 'full'

/** Declares a part; `make` may use other parts. The same seed, scale and archives give the same result. */
export function defineWorldPart<T>(make: (world: World) => T): WorldPart<T> {
  return Object.freeze({ make })
}

/** Creates a world; each part is computed on first use. */
export function makeWorld(seed: number, scale: Scale = 'full', archives: Archives = 'short'): World {
  const made = new Map<WorldPart<unknown>, unknown>()
  const world: World = {
    seed,
    scale,
    archives,
    part<T>(part: WorldPart<T>): T {
      if (!made.has(part)) made.set(part, part.make(world))
      return made.get(part) as T
    },
  }
  return world
}
