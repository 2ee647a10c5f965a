import { capturesNamed, defineStandIn } from '../../define.ts'
import { cercaniasZip, longDistanceZip, type TimetableOptions } from '../../formats/renfe-gtfs.ts'
import type { Edition, FeedStandIn } from '../../publisher.ts'
import { hash } from '../../random.ts'
import { railNetwork } from '../../world/rail-network.ts'
import type { World } from '../../world/world.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const MINUTE = 60_000

const cercanias = defineStandIn('renfe_gtfs_cercanias', {
  publishedAt: (seed, now) => nightly(seed, now, 0.5 * HOUR),
  blocks: { known: /^\d\d$/, usual: ['51'] },
  write: (world, edition) => cercaniasZip(optionsOf(world, edition, 0)),
  captures: {
    folder: 'renfe-gtfs',
    member: 'stop_times.txt',
    // cercanias-2026-08-22, the members of an archive of that day. Its hour is unknown: the usual one is used.
    capturedAt: capturesNamed(/^cercanias-(\d{4}-\d\d-\d\d)$/, '$1T00:30Z'),
  },
})

const longDistance = defineStandIn('renfe_gtfs_avldmd', {
  publishedAt: (seed, now) => nightly(seed, now, 0.1 * HOUR),
  // It is published before the night ends in UTC, and is valid from the day before.
  write: (world, edition) => longDistanceZip(optionsOf(world, edition, -1)),
  captures: {
    folder: 'renfe-gtfs',
    // avldmd-2022-06-30_google_transit.zip, the only one that is stored as an archive; its members are dated 23:12.
    capturedAt: capturesNamed(/^avldmd-(\d{4}-\d\d-\d\d)_google_transit\.zip$/, '$1T21:12Z'),
  },
})

/** Renfe: its two timetables, published every night. */
export const renfe: readonly FeedStandIn[] = [cercanias, longDistance]

/** The newest publication: one a day, at a fixed hour and up to half an hour later, UTC. */
function nightly(seed: number, now: number, after: number): number {
  const at = (day: number): number => day * DAY + after + (hash(seed, 'renfe night', day) % 30) * MINUTE
  const day = Math.floor(now / DAY)
  return at(day) <= now ? at(day) : at(day - 1)
}

function optionsOf(world: World, { stampedAt, variant }: Edition, daysOn: number): TimetableOptions {
  return {
    network: world.part(railNetwork),
    seed: world.seed,
    day: Math.floor(stampedAt / DAY) + daysOn,
    at: stampedAt,
    missing: variant.missingBlocks,
    share: variant.share,
    hasUnknownCodes: variant.hasUnknownCodes,
  }
}
