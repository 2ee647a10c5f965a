/** The result of a run as counts by name: rows written, replies received. Never a time. */
export type Done = Readonly<Record<string, number>>

/** The expected result of a run: each count exactly, or at least `min`. */
export type Expected = Readonly<Record<string, number | { readonly min: number }>>

/** Times parts of a run, if only some of its time counts. */
export interface Timer {
  /** Times a part; once one is timed, only parts count. */
  part<T>(work: () => Promise<T>): Promise<T>
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

/** The result and time of a run. */
export interface RunTime {
  readonly done: Done
  readonly ms: number
}

/** Does work once and times it. Throws if its counts are not as expected, or if its time is impossible. */
export async function runOnce(name: string, work: Work): Promise<RunTime> {
  const parts: number[] = []
  const timer: Timer = {
    async part(one) {
      const from = performance.now()
      const result = await one()
      parts.push(performance.now() - from)
      return result
    },
  }
  const clock = work.clock ?? (async () => performance.now())
  const before = await clock()
  const done = await work.run(timer)
  const whole_ms = (await clock()) - before
  checkDone(name, done, work.expected)
  if (work.slowestHundredth) return { done, ms: checkedTime(name, slowestHundredth(parts)) }
  const ms = parts.length > 0 && !work.clock ? parts.reduce((sum, one) => sum + one, 0) : whole_ms
  return { done, ms: checkedTime(name, ms) / (work.repeats ?? 1) }
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

function checkedTime(name: string, ms: number): number {
  if (!(ms > 0)) throw new Error(`${name} took ${ms} ms, which is no time`)
  return ms
}

function slowestHundredth(parts: readonly number[]): number {
  return [...parts].sort((one, other) => one - other)[Math.floor(parts.length * 0.99)] ?? Number.NaN
}
