/** The generated Spain: what stands still in it. What moves is a function of this and an instant. */
export interface World {
  readonly seed: number
  readonly scale: Scale
  readonly archives: Archives
  /** A part of it, made when it is first asked for and kept. */
  part<T>(part: WorldPart<T>): T
}

/** What a publisher knows of the world: roads, sensors, stations. Declared beside what makes it, so that this file knows none of them. */
export interface WorldPart<T> {
  readonly make: (world: World) => T
}

/** How large the generated Spain is: as in 2026, or just above what the feeds' guards ask for, so that a publication is parsed in milliseconds. */
export type Scale = 'full' | 'small'

/**
 * How long the files of archives are: far shorter than the publishers', so that one is read in a moment, or as long as theirs, which the notes on
 * their formats count.
 */
export type Archives = 'short' | 'full'

/** Declares a part; `make` may ask the world for others. The same seed, scale and archives make the same. */
export function defineWorldPart<T>(make: (world: World) => T): WorldPart<T> {
  return Object.freeze({ make })
}

/** Makes a world; each part when it is first asked for. */
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
