import { pino } from 'pino'
import { startWorker, type WorkerOptions } from '../../jobs/worker.ts'

// A worker in a process of its own, for tests that stop it. Its runner works for `work_ms` and prints each begin and end.
const { work_ms, ...options } = JSON.parse(process.argv[2] as string) as Omit<WorkerOptions, 'runner' | 'log'> & { work_ms: number }
const print = (line: string): void => void process.stdout.write(`${line}\n`)

const run = async (kind: string, name: string, signal: AbortSignal): Promise<void> => {
  print(`begin ${kind} ${name}`)
  const reason = await new Promise((resolve) => {
    const timer = setTimeout(() => resolve('done'), work_ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve((signal.reason as Error).name)
    })
  })
  print(`end ${kind} ${name} ${reason}`)
}

const worker = await startWorker({
  ...options,
  runner: {
    fetch: (feed, signal) => run('fetch', feed.id, signal),
    land: (feed, signal) => run('land', feed.id, signal),
    upkeep: (task, signal) => run('upkeep', task, signal),
  },
  log: pino({ level: 'silent' }),
})
process.on('SIGTERM', () => void worker.close())
print('ready')
