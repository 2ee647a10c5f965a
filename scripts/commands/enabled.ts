import type { Feed, RequestPlan } from '../../jobs/feeds/define.ts'
import { type Config, isAccepted, secretOf, textOf } from '../../lake/config.ts'

/** The feeds that a worker runs, and those that only lack a secret, with the missing variable. */
export interface Enabled {
  readonly feeds: readonly Feed[]
  readonly lacking: readonly { readonly feed: string; readonly set: string }[]
}

/**
 * Returns the feeds to run. Against a stand-in: all but streams without an address. With `--live`: those on by default or turned
 * on, whose terms are accepted and whose secrets are set for some plan. Throws if an unknown feed is turned on.
 */
export function enabledFeeds(config: Config, feeds: readonly Feed[]): Enabled {
  for (const id of turnedOn(config))
    if (!feeds.some((feed) => feed.id === id))
      throw new Error(`LIVE_FEEDS names ${id}, which is no feed; there are ${feeds.map((feed) => feed.id).join(', ')}`)
  const isLive = config.mode === 'live'
  const lacking = feeds.flatMap((feed) => {
    const missing = isLive && isWanted(config, feed) ? missingSecret(config, feed) : null
    return missing === null ? [] : [{ feed: feed.id, set: missing }]
  })
  return { feeds: feeds.filter((feed) => disabledReason(config, feed) === null), lacking }
}

/** Returns why a feed is not run, for people; null if it is. */
export function disabledReason(config: Config, feed: Feed): string | null {
  if (feed.stream && config.mode === 'replay') return 'Streams are not replayed from captures.'
  const connect = feed.stream?.connect
  if (connect && 'env' in connect && textOf(config, connect.env) === null)
    return `The operator has set no ${connect.env}: there is nothing to connect to.`
  if (config.mode !== 'live') return null
  if (feed.importedBy !== undefined) return `The publisher refuses scripts; the operator imports its files (${feed.importedBy}).`
  const { terms } = feed
  if (terms !== undefined && !isAccepted(config, terms))
    return `The operator has not stated an agreement with the publisher (${terms}=accepted).`
  if (!isWanted(config, feed)) return 'Off by default; the operator has not turned it on (LIVE_FEEDS).'
  const missing = missingSecret(config, feed)
  return missing === null ? null : `The operator has not set ${missing}, which the publisher requires.`
}

function turnedOn(config: Config): readonly string[] {
  return config.liveFeeds?.split(',') ?? []
}

/** True if the operator wants a feed, and its publisher's terms allow it. */
function isWanted(config: Config, { id, liveByDefault = true, importedBy, terms }: Feed): boolean {
  return importedBy === undefined && (liveByDefault || turnedOn(config).includes(id)) && (terms === undefined || isAccepted(config, terms))
}

/** Returns the variable of a secret that the first plan lacks; null if some plan lacks none. */
function missingSecret(config: Config, { plans, stream }: Feed): string | null {
  if (stream) return stream.secretEnv !== undefined && secretOf(config, stream.secretEnv) === null ? stream.secretEnv : null
  const missing = plans.map((plan) => secretsOf(plan).find((env) => secretOf(config, env) === null) ?? null)
  return missing.includes(null) ? null : (missing[0] ?? null)
}

/** Returns the variables of the secrets in a plan's requests. */
function secretsOf({ requests }: RequestPlan): string[] {
  return requests.flatMap(({ secret }) => secret?.env ?? [])
}
