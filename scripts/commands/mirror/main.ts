import { SingleBar } from 'cli-progress'
import { runCommand, say, type Values } from '../output.ts'
import { mirror } from './mirror.ts'

const USAGE = `scripts/sync <dataset> --to <folder> [--url <address>] [--jobs n] [--verify]

Makes a folder equal to the current snapshot of a dataset, as Parquet files. An interrupted run is resumed; a later run
downloads only what is new and removes what is gone. Needs a key of the ENTERPRISE plan.
  --to <folder>    folder of the mirror; it gets data/, manifest.json, schema.json and ATTRIBUTION.md
  --url <address>  address of the API (TRAFFIC_API_URL, else http://127.0.0.1:8080)
  --jobs n         downloads at once: 4 by default, at most 16
  --verify         computes the SHA-256 of existing files too

  TRAFFIC_API_KEY  the key`

const MAX_JOBS = 16
const MB = 1024 ** 2

const OPTIONS = {
  to: { type: 'string' },
  url: { type: 'string' },
  jobs: { type: 'string', default: '4' },
  verify: { type: 'boolean', default: false },
} as const

async function main([dataset = '']: readonly string[], values: Values<typeof OPTIONS>): Promise<void> {
  if (values.to === undefined) throw new Error('--to is missing: the folder of the mirror')
  const key = process.env['TRAFFIC_API_KEY']
  if (!key) throw new Error('TRAFFIC_API_KEY is not set: a key of the ENTERPRISE plan is required')
  const jobs = Number(values.jobs)
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > MAX_JOBS) throw new Error(`--jobs ${values.jobs}: a whole number from 1 to ${MAX_JOBS}`)
  const url = (values.url ?? process.env['TRAFFIC_API_URL'] ?? 'http://127.0.0.1:8080').replace(/\/+$/, '')
  const bar = new SingleBar({ format: `${dataset} [{bar}] {done} of {size} MB, {eta_formatted} left`, noTTYOutput: false, etaBuffer: 50 })
  let [done, size] = [0, 0]
  const shown = (): object => ({ done: (done / MB).toFixed(1), size: (size / MB).toFixed(1) })
  try {
    const result = await mirror({
      remote: { url, key },
      ...{ dataset, folder: values.to, jobs, verify: values.verify },
      onStart: (bytes) => {
        size = bytes
        if (bytes > 0) bar.start(bytes, 0, shown())
      },
      onBytes: (bytes) => {
        done += bytes
        bar.update(done, shown())
      },
    })
    bar.stop()
    say(
      `${dataset}: ${result.files} files of snapshot ${result.snapshot ?? 'none'}: ${result.downloaded} downloaded ` +
        `(${(result.downloaded_bytes / MB).toFixed(1)} MB), ${result.kept} kept, ${result.removed} removed`,
    )
  } finally {
    bar.stop()
  }
}

await runCommand({ usage: USAGE, options: OPTIONS, takes: [1, Number.POSITIVE_INFINITY] }, main)
