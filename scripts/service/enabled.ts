import type { Feed } from '../../jobs/feeds/define.ts'
import { type Config, secretOf } from '../../lake/config.ts'

/** Which feeds a worker runs, and which of the others only lack a secret, with the variable that would hold it. */
export interface Enabled {
  readonly feeds: readonly Feed[]
  readonly lacking: readonly { readonly feed: string; readonly set: string }[]
}

/** The feeds that are run: against a stand-in all of them, `--live` those that may be and whose publishers get the secrets they ask for. */
export function enabledFeeds(config: Config, feeds: readonly Feed[]): Enabled {
  if (config.mode !== 'live') return { feeds, lacking: [] }
  const wanted = feeds.filter((feed) => feed.liveByDefault !== false)
  const lacking = wanted.flatMap((feed) => {
    const missing = secretsOf(feed).find((env) => secretOf(config, env) === null)
    return missing === undefined ? [] : [{ feed: feed.id, set: missing }]
  })
  return { feeds: wanted.filter(({ id }) => !lacking.some(({ feed }) => feed === id)), lacking }
}

/** The variables of the secrets that a feed's requests carry. */
function secretsOf(feed: Feed): string[] {
  return feed.plans.flatMap(({ requests }) => requests.flatMap(({ secret }) => secret?.env ?? []))
}
