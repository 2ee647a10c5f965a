import type { Feed, RequestPlan } from '../../jobs/feeds/define.ts'
import { type Config, secretOf } from '../../lake/config.ts'

/** Which feeds a worker runs, and which of the others only lack a secret, with the variable that would hold it. */
export interface Enabled {
  readonly feeds: readonly Feed[]
  readonly lacking: readonly { readonly feed: string; readonly set: string }[]
}

/**
 * The feeds that are run: against a stand-in all of them, `--live` those that may be, or are turned on, and of which some plan has the secrets that
 * its publisher asks for. Throws where a feed is turned on that there is not.
 */
export function enabledFeeds(config: Config, feeds: readonly Feed[]): Enabled {
  const turnedOn = config.liveFeeds?.split(',') ?? []
  for (const id of turnedOn)
    if (!feeds.some((feed) => feed.id === id))
      throw new Error(`LIVE_FEEDS names ${id}, which is no feed; there are ${feeds.map((feed) => feed.id).join(', ')}`)
  if (config.mode !== 'live') return { feeds, lacking: [] }
  const wanted = feeds.filter(({ id, liveByDefault = true }) => liveByDefault || turnedOn.includes(id))
  const lacking = wanted.flatMap((feed) => {
    const missing = feed.plans.map((plan) => secretsOf(plan).find((env) => secretOf(config, env) === null))
    const [first] = missing
    return first === undefined || missing.includes(undefined) ? [] : [{ feed: feed.id, set: first }]
  })
  return { feeds: wanted.filter(({ id }) => !lacking.some(({ feed }) => feed === id)), lacking }
}

/** The variables of the secrets that a plan's requests carry. */
function secretsOf({ requests }: RequestPlan): string[] {
  return requests.flatMap(({ secret }) => secret?.env ?? [])
}
