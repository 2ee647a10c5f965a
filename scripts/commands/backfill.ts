import { feedById, feeds } from '../../jobs/feeds/catalog.ts'
import type { DayRange, Feed } from '../../jobs/feeds/define.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { cliConfig } from '../service/store.ts'
import { runCommand, type Values } from './output.ts'
import { openReport, type Summary } from './progress.ts'
import { type Backfilled, type BackfillRange, isRefused, nextLooks, withService } from './service.ts'
import { spansOf } from './spans.ts'

const ARCHIVES = feeds.filter(({ archive }) => archive)
const USAGE = `scripts/backfill <feed> [--from <day>] [--to <day>] [--jobs n] [--again] [--data <dir>] [--json]

Fetches the files of an archive that are missing, and lands each: ${ARCHIVES.map(({ id }) => id).join(', ')}.
  --from, --to   days such as 2022-03-01, months or years, both inclusive; by default all that the publisher lists
  --jobs n       files fetched at once: 2 by default, at most 16
  --again        also checks files that were fetched before, and replaces corrected ones
  --json         progress and result as JSON, one object a line
The same command continues a run that was stopped or killed. Exits with 2 if a file failed or was refused.`

const MOST_JOBS = 16

/** Reads a range of days from two options, each a day, a month or a year. Throws for anything else. */
function rangeOf(from: string, to: string): DayRange {
  for (const [option, text] of [
    ['from', from],
    ['to', to],
  ] as const)
    if (!/^\d{4}(-\d{2}){0,2}$/.test(text) || Number.isNaN(Date.parse(text)))
      throw new Error(`--${option} ${text}: a day such as 2022-03-01, a month such as 2022-03, or a year`)
  // No day of the period is later; a date that does not exist compares as well.
  const range = { from: from.padEnd(10, '-01'), to: `${to}${'-12-31'.slice(to.length === 4 ? 0 : 3)}`.slice(0, 10) }
  if (range.to < range.from) throw new Error(`--to ${to} is before --from ${from}`)
  return range
}

const OPTIONS = {
  from: { type: 'string', default: '0001' },
  to: { type: 'string', default: '9999' },
  jobs: { type: 'string', default: '2' },
  again: { type: 'boolean', default: false },
  data: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

async function main([id = '']: readonly string[], values: Values<typeof OPTIONS>): Promise<void> {
  const feed = feedById(id)
  if (!feed.archive) throw new Error(`${feed.id} is no archive; ${ARCHIVES.map(({ id }) => id).join(', ')} are`)
  const range = rangeOf(values.from, values.to)
  const jobs = Number(values.jobs)
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > MOST_JOBS)
    throw new Error(`--jobs ${values.jobs}: a whole number from 1 to ${MOST_JOBS}`)
  const report = openReport('backfill', values.json)
  const progress = report.start(feed.id, { unit: 'files', total: null })
  progress.add(0, 'waiting for its turn and the list of files')
  let rows = 0
  const options: BackfillRange = {
    ...{ range, jobs, again: values.again },
    onStart: progress.expect,
    onFile: ({ outcome }) => {
      if (outcome?.outcome === 'accepted') rows += Object.values(outcome.rows).reduce((sum, count) => sum + count, 0)
      progress.add(1, `${rows.toLocaleString('en')} rows`)
    },
  }
  const done = await withService(cliConfig(values.data), (service) => service.backfill(feed, options)).finally(() => progress.end())
  const summary = summaryOf(feed, done, { rows, ...values })
  report.finish(summary)
  if (done.done.some(({ outcome }) => isRefused(outcome))) process.exitCode = 2
}

function summaryOf(
  feed: Feed,
  { listed, skipped, done, gaps }: Backfilled,
  { rows, data }: { readonly rows: number; readonly data?: string | undefined },
): Summary {
  const count = (kind: string): number => done.filter(({ outcome }) => outcome?.outcome === kind).length
  const failed = done.flatMap(({ file: { period }, outcome }) =>
    isRefused(outcome) ? [{ period, outcome: outcome.outcome, reason: outcome.reason }] : [],
  )
  const [accepted, unchanged] = [count('accepted'), count('unchanged')]
  const again = `scripts/backfill ${process.argv.slice(2).join(' ')}`
  return {
    lines: [
      `${listed} files listed: ${skipped} were there, ${accepted} accepted with ${rows} rows, ${unchanged} unchanged, ${failed.length} failed`,
      ...(gaps.length > 0 ? [`the publisher has none of ${spansOf(gaps).join(', ')}; the next run asks again`] : []),
      ...failed.map(({ outcome, period, reason }) => `${outcome} ${period}: ${reason}`).sort(),
    ],
    facts: { feed: feed.id, listed, skipped, accepted, unchanged, rows, gaps, failed },
    next: failed.length > 0 ? [`${again} fetches the failed files again`] : nextLooks((feed.into[0] as Dataset).id, data),
  }
}

await runCommand({ usage: USAGE, options: OPTIONS, takes: [1, 1] }, main)
