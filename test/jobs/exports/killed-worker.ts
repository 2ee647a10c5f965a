import { pino } from 'pino'
import { startExportWorker } from '../../../jobs/exports/worker.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { everything } from '../../lake/query/fixtures.ts'

// A worker in a process of its own, which every job kills, as one does that exceeds the memory of the machine.
const [redisUrl = '', folder = ''] = process.argv.slice(2)
await startExportWorker({
  redisUrl,
  store: await fileStore(folder),
  openLake: async () => {
    process.stdout.write('killed\n')
    process.kill(process.pid, 'SIGKILL')
    throw new Error('the process is gone')
  },
  datasets: [everything],
  log: pino({ level: 'silent' }),
  times: { poll: 20, progress: 20, lock: 200, stalled: 100, busy: 20, retry: 20 },
})
