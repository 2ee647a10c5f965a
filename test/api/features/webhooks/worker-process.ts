import { makeRunner } from '../../../../jobs/ingest/runner.ts'
import { littleFeed, openTestContext } from '../../../helpers/pipeline.ts'

// A worker in a process of its own, for tests that kill it: it fetches the little feed as fast as it can, and lands now and then.
const options = JSON.parse(process.argv[2] as string) as { readonly folder: string; readonly redisUrl: string; readonly publisher: string }
process.once('disconnect', () => process.exit(0))
const context = await openTestContext(options)
const runner = makeRunner(context)
const feed = littleFeed()
const { signal } = new AbortController()
process.stdout.write('ready\n')
for (let run = 1; ; run++) {
  await runner.fetch(feed, signal)
  if (run % 10 === 0) await runner.land(feed, signal)
}
