import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, type ChildOptions, startChild } from './child.ts'

/** Processes that run until they are stopped, and are started again whenever they die. */
export interface Supervisor {
  readonly isStopping: boolean
  /** Starts a process and keeps it running; gives what it told when it was up, which every later start is given too. */
  keep<T>(options: (told: T | null) => Omit<ChildOptions, 'onLine' | 'onSpawn'>): Promise<T>
  /** Stops all, the last started first. */
  stop(): Promise<void>
}

/** How long and how often a process that dies is started again. */
export interface SupervisorTimes {
  /** Wait before a new start, ms. */
  readonly wait_ms: number
  /** Deaths in a row after which it is given up. */
  readonly most: number
  /** How long a process has to live for its death to be the first one again, ms. */
  readonly calm_ms: number
}

const TIMES: SupervisorTimes = { wait_ms: 1000, most: 20, calm_ms: 600_000 }

/** Makes a supervisor; `onGiveUp` is told of a process that dies again and again, after which it is for the caller to stop the rest. */
export function supervise(options: {
  readonly say: (line: string) => void
  readonly onGiveUp: (error: Error) => void
  readonly times?: SupervisorTimes
}): Supervisor {
  const { say, onGiveUp, times = TIMES } = options
  const children = new Set<Child>()
  let stopping = false

  const launch = (parts: Omit<ChildOptions, 'onLine' | 'onSpawn'>): ReturnType<typeof startChild<unknown>> =>
    startChild<unknown>({
      ...parts,
      onLine: say,
      onSpawn: (child) => {
        children.add(child)
        void child.ended.then(() => children.delete(child))
      },
    })

  const watch = async (first: Child, again: () => Promise<{ readonly child: Child }>): Promise<void> => {
    let child = first
    let began = performance.now()
    let deaths = 0
    for (;;) {
      const code = await child.ended
      deaths = performance.now() - began < times.calm_ms ? deaths + 1 : 1
      let reason = `${first.name} ended with ${code ?? 'a signal'}`
      for (let isUp = false; !isUp; ) {
        if (stopping) return
        if (deaths >= times.most) return onGiveUp(new Error(`${reason}, ${deaths} times in a row`))
        say(`${reason}; starting it again`)
        await sleep(times.wait_ms)
        if (stopping) return
        began = performance.now()
        try {
          ;({ child } = await again())
          isUp = true
        } catch (error) {
          reason = error instanceof Error ? error.message : String(error)
          deaths++
        }
      }
    }
  }

  return {
    get isStopping() {
      return stopping
    },
    keep: async <T>(parts: (told: T | null) => Omit<ChildOptions, 'onLine' | 'onSpawn'>): Promise<T> => {
      const { child, ready } = await launch(parts(null))
      const told = ready as T
      void watch(child, () => launch(parts(told)))
      return told
    },
    stop: async () => {
      stopping = true
      for (const child of [...children].reverse()) await child.stop()
    },
  }
}
