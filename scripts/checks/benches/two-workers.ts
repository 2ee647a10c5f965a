import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { startRedis } from '../../redis.ts'
import type { DeriveOrder, DeriveReport } from './derive-process.ts'
import { fillReadings, prepareHours } from './lake.ts'
import type { Bench, Timer, Work } from './measure.ts'

/** A tenth of Madrid's sensors, for a year: 64 million readings. With fewer, planning and messages weigh more than in truth. */
const SENSORS = 612
const [FROM, TO] = [Date.UTC(2025, 0, 1), Date.UTC(2026, 0, 1)]
/** Months of Madrid with readings; the last one begins in the last hour of the year. */
const MONTHS = 12
/** DuckDB's limits in each worker. */
const ENGINE = { threads: 1, memory: 1024 ** 3 } as const
const PROCESS = join(import.meta.dirname, 'derive-process.ts')

/** Two workers that share the months of a roll-up, against one. */
export const twoWorkers: Bench = {
  name: 'scale/two-workers',
  about: 'speed of two workers with a DuckDB thread each that make the hours of a year of a tenth of the sensors, against one worker',
  limit: 1.8,
  atLeast: true,
  warmUps: 0,
  rounds: 3,
  async setUp(folder) {
    await fillReadings(folder, { sensors: SENSORS, from: FROM, open: TO, to: TO })
    await prepareHours(folder)
  },
  async open(folder) {
    return { measured: derivedBy(2, folder), reference: derivedBy(1, folder), close: async () => undefined }
  },
}

function derivedBy(workers: number, folder: string): Work {
  return { expected: { months: MONTHS }, run: (timer) => deriveWith(workers, folder, timer) }
}

async function deriveWith(workers: number, folder: string, timer: Timer): Promise<{ readonly months: number }> {
  const own = await mkdtemp(join(folder, '..', 'workers-'))
  await cp(join(folder, 'store'), join(own, 'store'), { recursive: true })
  const redis = await startRedis({ folder: own, appendOnly: false })
  try {
    const order = { folder: own, redisUrl: redis.url, into: trafficHours.id, ...ENGINE }
    const [owner, ...helpers] = await Promise.all(
      Array.from({ length: workers }, (_, at) => startDeriving({ ...order, isOwner: at === 0 })),
    )
    await timer.part(async () => {
      for (const one of [owner, ...helpers]) one?.begin()
      await owner?.report
    })
    for (const one of helpers) one.end()
    const reports = await Promise.all([owner, ...helpers].map((one) => one?.report))
    return { months: reports.reduce((sum, report) => sum + (report?.made.length ?? 0), 0) }
  } finally {
    await redis.stop()
    await rm(own, { recursive: true, force: true })
  }
}

/** A process that derives. */
export interface Deriving {
  /** Its report once it has ended; null if it was killed. */
  readonly report: Promise<DeriveReport | null>
  begin(): void
  /** Ends a helper. */
  end(): void
  kill(): void
}

/** Starts a process that derives from `begin` on. Resolves when it hears the others; throws if it ends before. */
export async function startDeriving(order: DeriveOrder): Promise<Deriving> {
  const child = spawn(process.execPath, [PROCESS, JSON.stringify(order)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => lines.push(line))
  const closed = once(reader, 'close')
  await Promise.race([once(reader, 'line'), closed])
  if (lines[0] !== 'ready') throw new Error(`a process that derives ended before it was ready, with ${child.signalCode ?? child.exitCode}`)
  return {
    report: closed.then(() => (lines.length > 1 ? (JSON.parse(lines.at(-1) as string) as DeriveReport) : null)),
    begin: () => void child.stdin.write('begin\n'),
    end: () => void child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
  }
}
