import { runCommand, type Values } from '../output.ts'
import { openReport, type Progress } from '../progress.ts'
import { mirror } from './mirror.ts'

const USAGE = `scripts/sync <dataset> --to <folder> [--url <address>] [--jobs n] [--verify] [--json]

Makes a folder equal to the current snapshot of a dataset, as Parquet files. An interrupted run is resumed; a later run
downloads only what is new and removes what is gone. Needs a key of the ENTERPRISE plan.
  --to <folder>    folder of the mirror; it gets data/, manifest.json, schema.json and ATTRIBUTION.md
  --url <address>  address of the API (TRAFFIC_API_URL, else http://127.0.0.1:8080)
  --jobs n         downloads at once: 4 by default, at most 16
  --verify         computes the SHA-256 of existing files too
  --json           progress and result as JSON, one object a line

  TRAFFIC_API_KEY  the key`

const MAX_JOBS = 16
const MB = 1024 ** 2

const OPTIONS = {
  to: { type: 'string' },
  url: { type: 'string' },
  jobs: { type: 'string', default: '4' },
  verify: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

async function main([dataset = '']: readonly string[], values: Values<typeof OPTIONS>): Promise<void> {
  if (values.to === undefined) throw new Error('--to is missing: the folder of the mirror')
  const key = process.env['TRAFFIC_API_KEY']
  if (!key) throw new Error('TRAFFIC_API_KEY is not set: a key of the ENTERPRISE plan is required')
  const jobs = Number(values.jobs)
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > MAX_JOBS) throw new Error(`--jobs ${values.jobs}: a whole number from 1 to ${MAX_JOBS}`)
  const url = (values.url ?? process.env['TRAFFIC_API_URL'] ?? 'http://127.0.0.1:8080').replace(/\/+$/, '')
  const report = openReport('sync', values.json)
  let progress: Progress | null = null
  const result = await mirror({
    remote: { url, key },
    ...{ dataset, folder: values.to, jobs, verify: values.verify },
    onStart: (bytes) => {
      if (bytes > 0) progress = report.start(dataset, { unit: 'MB', total: bytes / MB })
    },
    onBytes: (bytes) => progress?.add(bytes / MB),
  }).finally(() => progress?.end())
  const { files, snapshot, downloaded, downloaded_bytes, kept, removed } = result
  report.finish({
    lines: [
      `${dataset}: ${files} files of snapshot ${snapshot ?? 'none'}: ${downloaded} downloaded ` +
        `(${(downloaded_bytes / MB).toFixed(1)} MB), ${kept} kept, ${removed} removed`,
    ],
    facts: { dataset, folder: values.to, ...result },
    next: [`duckdb -c "SELECT count(*) FROM '${values.to}/data/*.parquet'"`, 'the same command again fetches only what is new'],
  })
}

await runCommand({ usage: USAGE, options: OPTIONS, takes: [1, Number.POSITIVE_INFINITY] }, main)
