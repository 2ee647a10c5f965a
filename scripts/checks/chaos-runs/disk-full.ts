import { execFile, execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PIPELINE_STEPS } from '../../../jobs/ingest/context.ts'
import { atExit } from '../run.ts'
import { judgeApart, runWorker, startWorker } from './children.ts'
import type { Halt, WorkerOrder } from './order.ts'
import type { Findings, Scenario } from './scenario.ts'
import { openStage } from './stage.ts'

const run = promisify(execFile)

/** Lazy unmount, because a process that is ending may still have a file open. */
const UNMOUNT = 'umount'
/** Full after a few fetches. */
const SMALL_DISK = '1500k'
const LARGE_DISK = '96m'
/** Random amounts of free bytes for each round: enough to begin a write and too few to finish it. */
const RANDOM_PER_ROUND = 3
const MOST_LEFT = 200_000
/** Error texts of the operating system and DuckDB for a full disk. */
const NO_ROOM = /ENOSPC|no space left on/i

/** Fills the disk at every step of the pipeline, then frees it again. */
export const diskFull: Scenario = {
  name: 'disk-full',
  about: 'no space left on the disk, at every step',
  async run({ folder, rounds }) {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', disk])
    } catch (error) {
      return { problems: [], skipped: `a small disk cannot be mounted: ${(error as Error).message.trim()}`, detail: {} }
    }
    const callOff = atExit(() => execFileSync(UNMOUNT, ['-l', disk]))
    try {
      return await onDisk(folder, disk, rounds)
    } finally {
      callOff()
      await run(UNMOUNT, ['-l', disk])
    }
  },
}

async function onDisk(folder: string, disk: string, rounds: number): Promise<Findings> {
  const stage = await openStage(folder)
  const order: WorkerOrder = { ...stage.order, folder: disk, iterations: 60 }
  const problems: string[] = []
  const failures: Record<string, number> = {}
  const note = (texts: readonly string[]): void => {
    for (const text of texts)
      if (text.startsWith('PROBLEM') || !NO_ROOM.test(text)) problems.push(text)
      else {
        const where = /^(\S+) \S+ after (\S+?):/.exec(text)
        const name = `${where?.[1]} after ${where?.[2]}`
        failures[name] = (failures[name] ?? 0) + 1
      }
  }
  try {
    const first = startWorker(order)
    const failed = (): number => first.reported.filter(({ failures }) => failures.length > 0).length
    await first.until('the disk was full', () => failed() >= 3)
    await run('mount', ['-o', `remount,size=${LARGE_DISK}`, disk])
    const until = first.reported.length + 4
    await first.until('it resumed', () => first.reported.length >= until)
    const last = first.reported.at(-1)
    if (last && last.failures.length > 0) problems.push(`with free space again: ${last.failures.join('; ')}`)
    for (const { failures } of first.reported) note(failures)
    first.signal('SIGKILL')
    await first.ended

    const halts: Halt[] = []
    for (let round = 0; round < Math.ceil(rounds / 2); round++) {
      for (const at of ['begin', ...PIPELINE_STEPS] as const) halts.push({ at, nth: 1 + (round % 3), by: 'fill' })
      for (let times = 0; times < RANDOM_PER_ROUND; times++)
        halts.push({ at: times === 0 ? 'begin' : 'live-written', nth: 1 + times, by: 'fill', leave: Math.floor(Math.random() * MOST_LEFT) })
    }
    const second = startWorker({ ...order, iterations: 1, halts })
    if ((await second.ended) !== 0) problems.push(`a worker on a full disk ended with ${await second.ended}`)
    const fills = second.reported.filter(({ halt }) => halt !== null).length
    if (fills < halts.length) problems.push(`the disk was filled ${fills} times of ${halts.length}`)
    for (const { failures } of second.reported) note(failures)
    problems.push(...(await runWorker({ ...order, iterations: 2 })))
    return await judgeApart(order, { problems, detail: { fills, failures } })
  } finally {
    await stage.close()
  }
}
