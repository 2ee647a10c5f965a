import { feedById } from '../../jobs/feeds/catalog.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { dayBounds, parseInstant } from '../../lake/schema/time.ts'
import { cliConfig } from '../service/store.ts'
import { runCommand, type Values } from './output.ts'
import { openReport } from './progress.ts'
import { nextLooks, withService } from './service.ts'

const USAGE = `scripts/replay <feed> [--from <instant>] [--to <instant>] [--data <dir>] [--json]

Parses the raw bytes of a feed's fetches again and replaces exactly their rows; unchanged rows stay as they are.
Instants are RFC 3339 with zone, or plain dates (days of Madrid); without them the whole archive is replayed.
--json prints progress and result as JSON, one object a line.`

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  data: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

/**
 * Reads an instant (ms) of the command line: RFC 3339 with zone, or a date for the start of a day in Madrid. Throws otherwise.
 */
function instantOrDay(option: string, text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return dayBounds(text).start
  const instant = parseInstant(text)
  if (instant === null) throw new Error(`--${option} ${text}: an instant such as 2026-11-20T08:00:00Z, or a date such as 2026-11-20`)
  return instant
}

async function main([id = '']: readonly string[], values: Values<typeof OPTIONS>): Promise<void> {
  const feed = feedById(id)
  const from = values.from === undefined ? 0 : instantOrDay('from', values.from)
  const to = values.to === undefined ? null : instantOrDay('to', values.to)
  if (to !== null && to < from) throw new Error(`--to ${values.to} is before --from ${values.from}`)
  const report = openReport('replay', values.json)
  await withService(cliConfig(values.data), async (service) => {
    const datasets: object[] = []
    for (const dataset of feed.into) {
      const progress = report.start(dataset.id, { unit: 'fetches', total: null })
      progress.add(0, 'reading the archive')
      const onProgress = (done: number, total: number): void => {
        if (progress.done === 0) progress.expect(total)
        progress.add(done - progress.done)
      }
      const done = await service.replay(feed, { dataset, from, to, onProgress }).finally(() => progress.end())
      datasets.push({ dataset: dataset.id, ...done })
      report.print(`${dataset.id}: ${done.fetches} fetches, ${done.removed} rows replaced by ${done.added}`)
    }
    report.finish({ lines: [], facts: { feed: feed.id, datasets }, next: nextLooks((feed.into[0] as Dataset).id, values.data) })
  })
}

await runCommand({ usage: USAGE, options: OPTIONS, takes: [1, 1] }, main)
