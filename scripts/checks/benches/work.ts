/** The result of a run as counts by name: rows written, replies received. Never a time. */
export type Done = Readonly<Record<string, number>>

/** The expected result of a run: each count exactly, or at least `min`. */
export type Expected = Readonly<Record<string, number | { readonly min: number }>>

/** Times parts of a run, if only some of its time counts. */
export interface Timer {
  /** Times a part; once one is timed, only parts count. */
  part<T>(work: () => Promise<T>): Promise<T>
  /** Runs something whose time does not count. */
  pause<T>(work: () => T): T
  /** Adds named parts that another process timed during this run. */
  timedElsewhere(parts_ms: Readonly<Record<string, number>>): void
}

/** Work whose time is measured. */
export interface Work {
  readonly expected: Expected
  /** Does the work once and returns its counts. All of its time counts unless it uses the timer. */
  run(timer: Timer): Promise<Done>
  /** A clock that replaces wall time, such as a server's processor time; ms so far. */
  clock?(): Promise<number>
  /** Repetitions of the timed operation in a run; 1 by default. */
  readonly repeats?: number
  /** True if the slowest hundredth of the parts counts instead of their sum. */
  readonly slowestHundredth?: boolean
}

/** The result and time of a run, and the times of its named parts. */
export interface RunTime {
  readonly done: Done
  readonly ms: number
  readonly parts_ms: Readonly<Record<string, number>> | null
}

/** Does work once and times it. Throws if its counts are not as expected, or if its time is impossible. */
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
  // A part cannot be longer than its run.
  for (const part of parts) checkedTime(name, part, wall_ms)
  if (work.slowestHundredth) return { done, ms: checkedTime(name, slowestHundredth(parts), wall_ms), parts_ms }
  const ms = parts.length > 0 ? parts.reduce((sum, one) => sum + one, 0) : wall_ms - stopwatch.paused_ms
  return { done, ms: checkedTime(name, ms, wall_ms) / (work.repeats ?? 1), parts_ms }
}

/** Throws if the counts are not as expected. */
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

/** Checks a time: above zero, and at most the time that contains it. */
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
