import { parseArgs } from 'node:util'
import { SingleBar } from 'cli-progress'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { cliConfig } from '../service/store.ts'
import { instantOrDay } from './instants.ts'
import { runCommand, say } from './output.ts'
import { openService } from './service.ts'

const USAGE = `scripts/replay <feed> [--from <instant>] [--to <instant>] [--data <dir>]

Parses the raw bytes of a feed's fetches again and replaces exactly their rows; unchanged rows stay as they are.
Instants are RFC 3339 with zone, or plain dates (days of Madrid); without them the whole archive is replayed.`

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { from: { type: 'string' }, to: { type: 'string' }, data: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help || positionals.length !== 1) return say(USAGE)
  const feed = feedById(positionals[0] as string)
  const from = values.from === undefined ? 0 : instantOrDay('from', values.from)
  const to = values.to === undefined ? null : instantOrDay('to', values.to)
  if (to !== null && to < from) throw new Error(`--to ${values.to} is before --from ${values.from}`)
  const service = await openService(cliConfig(values.data))
  try {
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
  } finally {
    await service.close()
  }
}

await runCommand(main)
