import { SingleBar } from 'cli-progress'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { dayBounds, parseInstant } from '../../lake/schema/time.ts'
import { cliConfig } from '../service/store.ts'
import { runCommand, say, type Values } from './output.ts'
import { withService } from './service.ts'

const USAGE = `scripts/replay <feed> [--from <instant>] [--to <instant>] [--data <dir>]

Parses the raw bytes of a feed's fetches again and replaces exactly their rows; unchanged rows stay as they are.
Instants are RFC 3339 with zone, or plain dates (days of Madrid); without them the whole archive is replayed.`

const OPTIONS = { from: { type: 'string' }, to: { type: 'string' }, data: { type: 'string' } } as const

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
  await withService(cliConfig(values.data), async (service) => {
    for (const dataset of feed.into) {
      const bar = new SingleBar({ format: `${dataset.id} [{bar}] {value}/{total} fetches, {eta_formatted} left`, noTTYOutput: false })
      let begun = false
      const done = await service.replay(feed, {
        dataset,
        from,
        to,
        onProgress: (value, total) => {
          if (!begun) bar.start(total, 0)
          begun = true
          bar.update(value)
        },
      })
      if (begun) bar.stop()
      say(`${dataset.id}: ${done.fetches} fetches, ${done.removed} rows replaced by ${done.added}`)
    }
  })
}

await runCommand({ usage: USAGE, options: OPTIONS, takes: [1, 1] }, main)
