import { derivations } from '../../jobs/derive/catalog.ts'
import type { Derived } from '../../jobs/derive/define.ts'
import { feeds } from '../../jobs/feeds/catalog.ts'
import type { Feed } from '../../jobs/feeds/define.ts'
import type { Land } from '../../lake/schema/dataset.ts'

/** Feeds that are polled, from the fastest to the slowest: streams last for as long as their connections. */
const bySpeed = feeds.filter(({ stream, onDemand }) => !stream && !onDemand).sort((one, other) => one.every_s - other.every_s)

/** The feed that publishes most often: what is waited for comes soon. */
export const FASTEST = bySpeed[0] as Feed

/** What scenarios work with: for each way of landing the fastest feed that lands so, so that a run stays short however many feeds there are. */
export const CHOSEN: readonly Feed[] = Object.freeze([
  ...new Set(
    (['changes', 'append', 'replace'] satisfies Land[]).flatMap(
      (land) => bySpeed.find(({ into }) => into.some((one) => one.land === land)) ?? [],
    ),
  ),
])

const versioned = CHOSEN.find(({ into }) => into.some(({ land }) => land === 'replace')) as Feed

/** Feeds of whole versions that fill the same tables. */
export const VERSIONED: readonly Feed[] = Object.freeze(feeds.filter(({ into }) => into.some((one) => versioned.into.includes(one))))

const rolledUp = new Set(derivations.flatMap(({ by, from }) => (by === 'months' ? from : [])))

/** The two fastest feeds whose tables are rolled up by months: one of states, one of observations. */
export const ROLLED_UP: readonly Feed[] = Object.freeze(bySpeed.filter(({ into }) => into.some((one) => rolledUp.has(one))).slice(0, 2))

/** The derivations of which some feeds fill every input, or what it is derived from, in the order in which they are made. */
export function derivedFrom(some: readonly Feed[]): readonly Derived[] {
  const known = new Set(some.flatMap(({ into }) => into))
  return derivations.filter(({ from, into }) => {
    const isMade = from.every((dataset) => known.has(dataset))
    if (isMade) known.add(into)
    return isMade
  })
}
