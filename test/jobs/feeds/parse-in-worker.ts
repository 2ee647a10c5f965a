import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'

const { feed, file, at } = workerData as { readonly feed: string; readonly file: string; readonly at: number }
const { rows, report } = await parsePublication(feedById(feed), [{ name: 'document', bytes: readFileSync(file) }], at)
parentPort?.postMessage({ rows: [...rows.values()].map(({ length }) => length), warnings: [...report.warnings] })
