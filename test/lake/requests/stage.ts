import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type CountReply, openRequestLog, type RequestLog } from '../../../api/auth/usage/request-log.ts'
import { gatherUptime } from '../../../jobs/upkeep/requests.ts'
import { logBefore } from '../../../lake/requests/log.ts'
import { monthAt, type UptimeMonth, uptimeReader } from '../../../lake/requests/months.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const NOON = Date.UTC(2026, 10, 22, 12)
const nobody = { info: () => undefined } as never

/** A process whose requests are of one caller by default. */
export interface StageProcess extends Omit<RequestLog, 'repliesOf'> {
  repliesOf(group: string): (status: number, took_ms: number, quotaKey?: string) => void
}

/** Processes of the API over one store, by a clock that tests set. */
export interface Stage {
  readonly store: ObjectStore
  now: number
  readonly lost: number[]
  readonly errors: Error[]
  open(): StageProcess
  /** Advances by minutes while these processes run. */
  pass(minutes: number, ...processes: readonly Pick<RequestLog, 'flush'>[]): Promise<void>
  /** Reads a month as a new process does; the present one by default. */
  read(month?: string, since?: number): Promise<UptimeMonth>
  gather(): Promise<void>
  names(): Promise<string[]>
}

export async function stage(store: ObjectStore): Promise<Stage> {
  const self: Stage = {
    ...{ store, now: NOON, lost: [], errors: [] },
    open: () => {
      const log = openRequestLog({
        ...{ store, every_ms: null, clock: () => self.now },
        onError: (error) => void self.errors.push(error),
        onLost: (minutes) => void self.lost.push(minutes),
      })
      onTestFinished(() => log.close())
      return { ...log, repliesOf: (group) => withCaller(log.repliesOf(group)) }
    },
    pass: async (minutes, ...processes) => {
      for (let n = 0; n < minutes; n++) {
        self.now += MINUTE
        for (const one of processes) await one.flush()
      }
    },
    read: (month = monthAt(self.now), since = 0) => uptimeReader(store, { since })(month, self.now),
    gather: () => gatherAndForget({ ...store, now: async () => self.now }),
    names: async () => {
      const names: string[] = []
      for (const folder of ['requests/', 'uptime/']) for await (const { key } of store.list(folder)) names.push(key)
      return names
    },
  }
  return self
}

/** Gathers closed days, and deletes the objects that they were gathered from. */
export async function gatherAndForget(store: ObjectStore): Promise<void> {
  const end = await gatherUptime({ store, log: nobody }, new AbortController().signal)
  for (const name of await logBefore(store, end)) await store.delete(name)
}

/** Counts requests, by default of one caller. */
export function withCaller(count: CountReply): (status: number, took_ms: number, quotaKey?: string) => void {
  return (status, took_ms, quotaKey = 'ip4:192.0.2.1') => count(status, took_ms, quotaKey)
}

export const onFiles = async (): Promise<Stage> => stage(bound(await fileStore(join(tempFolder(), 'store'))))

/** A store with plain-function methods. */
export function bound(store: ObjectStore): ObjectStore {
  return {
    ...store,
    url: store.url,
    get: (name) => store.get(name),
    list: (prefix, options) => store.list(prefix, options),
    delete: (name) => store.delete(name),
    put: (name, body) => store.put(name, body),
    putIfAbsent: (name, body) => store.putIfAbsent(name, body),
  }
}

export const figures = ({ measured_from, minutes, silent }: UptimeMonth): unknown => [measured_from, minutes, silent]
