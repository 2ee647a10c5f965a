/** What a run did, as counts by name: rows written, replies received. Never a time. */
export type Done = Readonly<Record<string, number>>

/** What a run must have done: each count exactly, or at least so much. */
export type Expected = Readonly<Record<string, number | { readonly min: number }>>

/** Times parts of a run, where not all of its time counts. */
export interface Timer {
  /** Times a part; as soon as there is one, only parts count. */
  part<T>(work: () => Promise<T>): Promise<T>
  /** Does something whose time does not count. */
  pause<T>(work: () => T): T
  /** Adds parts by name that another process timed during this run. */
  timedElsewhere(parts_ms: Readonly<Record<string, number>>): void
}

/** A piece of work whose time counts. */
export interface Work {
  readonly expected: Expected
  /** Does the work once and returns what it did. All of its time counts unless it uses the timer. */
  run(timer: Timer): Promise<Done>
  /** A clock to use in place of the wall's, such as a server's processor time; ms so far. */
  clock?(): Promise<number>
  /** How often a run does what the bench tells the time of; once by default. */
  readonly repeats?: number
  /** True where the slowest hundredth of the parts counts in place of their sum. */
  readonly slowestHundredth?: boolean
}

/** What a run did and took: its time, and that of the parts that have names. */
export interface RunTime {
  readonly done: Done
  readonly ms: number
  readonly parts_ms: Readonly<Record<string, number>> | null
}

/** Does a piece of work once and times it. Throws if it did not do what is expected, or if its time cannot be one. */
export async function runOnce(name: string, work: Work): Promise<RunTime> {
  const stopwatch = new Stopwatch()
  const before = await work.clock?.()
  const began = performance.now()
  const done = await work.run(stopwatch)
  const wall_ms = performance.now() - began
  const after = await work.clock?.()
  checkDone(name, done, work.expected)
  const { parts, parts_ms } = stopwatch
  if (before !== undefined && after !== undefined) return { done, ms: checkedTime(name, after - before) / (work.repeats ?? 1), parts_ms }
  // What is longer than the run is no time of a part of it.
  for (const part of parts) checkedTime(name, part, wall_ms)
  if (work.slowestHundredth) return { done, ms: checkedTime(name, slowestHundredth(parts), wall_ms), parts_ms }
  const ms = parts.length > 0 ? parts.reduce((sum, one) => sum + one, 0) : wall_ms - stopwatch.paused_ms
  return { done, ms: checkedTime(name, ms, wall_ms) / (work.repeats ?? 1), parts_ms }
}

/** Throws if what was done is not what is expected. */
export function checkDone(name: string, done: Done, expected: Expected): void {
  const counts = Object.entries(expected)
  if (counts.length === 0) throw new Error(`nothing is expected of ${name}`)
  for (const [what, wanted] of counts) {
    const found = done[what]
    const least = typeof wanted === 'number' ? wanted : wanted.min
    if (!(least > 0)) throw new Error(`${least} ${what} are expected of ${name}: the work could be left out`)
    const isDone = found !== undefined && (typeof wanted === 'number' ? found === wanted : found >= wanted.min)
    if (!isDone) throw new Error(`${name} did ${found ?? 'no'} ${what}, expected ${typeof wanted === 'number' ? '' : 'at least '}${least}`)
  }
}

/** A time that can be one: above zero, and at most as long as all that it is a part of. */
function checkedTime(name: string, ms: number, most_ms: number = Number.MAX_VALUE): number {
  if (!(ms > 0 && ms <= most_ms)) throw new Error(`${name} took ${ms} ms, which is no time`)
  return ms
}

function slowestHundredth(parts: readonly number[]): number {
  return [...parts].sort((one, other) => one - other)[Math.floor(parts.length * 0.99)] ?? Number.NaN
}

class Stopwatch implements Timer {
  readonly parts: number[] = []
  parts_ms: Record<string, number> | null = null
  paused_ms = 0

  async part<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    const result = await work()
    this.parts.push(performance.now() - began)
    return result
  }

  pause<T>(work: () => T): T {
    const began = performance.now()
    const result = work()
    this.paused_ms += performance.now() - began
    return result
  }

  timedElsewhere(parts_ms: Readonly<Record<string, number>>): void {
    this.parts_ms = { ...this.parts_ms, ...parts_ms }
    this.parts.push(...Object.values(parts_ms))
  }
}
