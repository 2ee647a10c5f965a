import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, type ChildOptions, startChild } from './child.ts'

/** Processes that are restarted whenever they die, until they are stopped. */
export interface Supervisor {
  readonly isStopping: boolean
  /** Starts a process, keeps it running and returns the facts that it first reported. Later starts get these facts too. */
  keep<T>(options: (first: T | null) => Omit<ChildOptions, 'onLine' | 'onSpawn'>): Promise<T>
  /** Stops all processes at once, and kills those that take longer than `stop_ms`. */
  stop(): Promise<void>
}

/** The state of a process; `down` while it waits to be started again. */
export interface ProcessState {
  readonly name: string
  readonly state: 'starting' | 'running' | 'down'
  readonly pid: number | null
}

/** When a process that dies or hangs is started again, ms. */
export interface SupervisorTimes {
  /** Wait before the first restart, and the longest wait: it doubles with each death. */
  readonly wait_ms: number
  readonly longest_ms: number
  /** How long a process must live for the wait to be reset. */
  readonly calm_ms: number
  /** A process without a heartbeat for this time that uses no processor is killed. The limit doubles with each such kill. */
  readonly hung_ms: number
  /** The same for one that uses the processor: a loop that never ends, or a machine with too much to do. */
  readonly busy_ms: number
  /** How long a process must live for its limits to be those of the beginning again. */
  readonly forget_ms: number
  /** How long a process may take to stop before it is killed. */
  readonly stop_ms: number
}

const TIMES: SupervisorTimes = {
  ...{ wait_ms: 1000, longest_ms: 60_000, calm_ms: 120_000 },
  ...{ hung_ms: 60_000, busy_ms: 600_000, forget_ms: 86_400_000, stop_ms: 4000 },
}

/** Makes a supervisor. A process that has been ready once is restarted as often as it dies, each time after a longer wait. */
export function supervise(options: {
  /** Gets the supervisor's own lines. */
  readonly say: (line: string) => void
  /** Gets the lines of the processes; by default `say` does. */
  readonly onLine?: (line: string) => void
  /** Gets each change of a process. */
  readonly onState?: (state: ProcessState) => void
  readonly times?: Partial<SupervisorTimes>
}): Supervisor {
  const { say, onLine = say, onState = () => undefined } = options
  const times = { ...TIMES, ...options.times }
  const stopped = new AbortController()
  const children = new Set<Child>()
  let stopping = false

  const launch = async (parts: Omit<ChildOptions, 'onLine' | 'onSpawn'>, kills = 0): ReturnType<typeof startChild<unknown>> => {
    const started = await startChild<unknown>({
      busy_ms: times.busy_ms * 2 ** kills,
      ...parts,
      onLine,
      hung_ms: times.hung_ms * 2 ** kills,
      onSpawn: (child) => {
        children.add(child)
        onState({ name: parts.name, state: 'starting', pid: child.pid })
        void child.ended.then(() => children.delete(child))
      },
    })
    onState({ name: parts.name, state: 'running', pid: started.child.pid })
    return started
  }

  const watch = async (first: Child, again: (kills: number) => Promise<{ readonly child: Child }>): Promise<void> => {
    let child = first
    let kills = 0
    let began = performance.now()
    let wait_ms = times.wait_ms
    for (;;) {
      const code = await child.ended
      const lived_ms = performance.now() - began
      if (lived_ms >= times.calm_ms) wait_ms = times.wait_ms
      if (lived_ms >= times.forget_ms) kills = 0
      if (child.isHung) kills++
      let reason = `${first.name} ${child.isHung ? 'did not answer and was killed' : `ended with ${code ?? 'a signal'}`}`
      for (let isUp = false; !isUp; ) {
        if (stopping) return
        onState({ name: first.name, state: 'down', pid: null })
        say(`${reason}; starting it again in ${wait_ms / 1000} s`)
        await sleep(wait_ms, undefined, { signal: stopped.signal }).catch(() => undefined)
        if (stopping) return
        wait_ms = Math.min(2 * wait_ms, times.longest_ms)
        began = performance.now()
        try {
          ;({ child } = await again(kills))
          isUp = true
        } catch (error) {
          reason = error instanceof Error ? error.message : String(error)
        }
      }
    }
  }

  return {
    get isStopping() {
      return stopping
    },
    keep: async <T>(parts: (first: T | null) => Omit<ChildOptions, 'onLine' | 'onSpawn'>): Promise<T> => {
      const { child, ready } = await launch(parts(null))
      const first = ready as T
      void watch(child, (kills) => launch(parts(first), kills))
      return first
    },
    stop: async () => {
      stopping = true
      stopped.abort()
      await Promise.all([...children].map((child) => child.stop(times.stop_ms)))
    },
  }
}
