import { derivations } from '../../../jobs/derive/catalog.ts'
import type { Derived } from '../../../jobs/derive/define.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import type { WriteMode } from '../../../lake/schema/dataset.ts'

/** Polled feeds, from the fastest to the slowest; a stream has no pace. */
const bySpeed = feeds.filter(({ stream, onDemand }) => !stream && !onDemand).sort((one, other) => one.every_s - other.every_s)

/** The feed that publishes most often, so that tests wait little. */
export const FASTEST = bySpeed[0] as Feed

/** The feeds that scenarios use: the fastest feed of each write mode, so that the number of feeds does not lengthen a run. */
export const CHOSEN: readonly Feed[] = Object.freeze([
  ...new Set(
    (['changes', 'append', 'replace'] satisfies WriteMode[]).flatMap(
      (land) => bySpeed.find(({ into }) => into.some((one) => one.writeMode === land)) ?? [],
    ),
  ),
])

const versioned = CHOSEN.find(({ into }) => into.some(({ writeMode: land }) => land === 'replace')) as Feed

/** Feeds of whole versions that write the same tables. */
export const VERSIONED: readonly Feed[] = Object.freeze(feeds.filter(({ into }) => into.some((one) => versioned.into.includes(one))))

const rolledUp = new Set(derivations.flatMap(({ by, from }) => (by === 'months' ? from : [])))

/** The two fastest feeds whose tables have monthly roll-ups: one of states, one of observations. */
export const ROLLED_UP: readonly Feed[] = Object.freeze(bySpeed.filter(({ into }) => into.some((one) => rolledUp.has(one))).slice(0, 2))

/** The derivations whose inputs some feeds fill completely, directly or through other derivations, in the order of building. */
export function derivedFrom(some: readonly Feed[]): readonly Derived[] {
  const known = new Set(some.flatMap(({ into }) => into))
  return derivations.filter(({ from, into }) => {
    const isMade = from.every((dataset) => known.has(dataset))
    if (isMade) known.add(into)
    return isMade
  })
}
