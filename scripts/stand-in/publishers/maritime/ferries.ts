import { defineStandIn } from '../../define.ts'
import { ferryZip } from '../../formats/ferry-gtfs.ts'
import type { FeedStandIn } from '../../publisher.ts'
import { FERRY_OPERATORS, type FerryOperator } from '../../world/ferry-lines.ts'

/** The copy of an operator's timetable, under both of its URLs; a new one each month. */
function copyOf(feed: string, mdb: number, file: string): FeedStandIn {
  const [path, other] = [`/storage/v1/b/mdb-latest/o/${file}-${mdb}.zip`, `/mdb-${mdb}/latest.zip`]
  return defineStandIn(feed, {
    hosts: ['storage.googleapis.com', 'files.mobilitydatabase.org'],
    route: (asked) => (asked === path || asked === other ? 'timetable' : null),
    publishedAt(_seed, now) {
      const date = new Date(now)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
    },
    write: (_world, { publishedAt, variant }) => ferryZip(FERRY_OPERATORS[feed] as FerryOperator, { at: publishedAt, variant }),
  })
}

/** The Mobility Database, which copies the operators' publications at the National Access Point. */
export const mobilityDatabase: readonly FeedStandIn[] = [
  copyOf('ferries_balearia', 2814, 'es-baelearic-islands-balearia-ferry-gtfs'),
  copyOf('ferries_fred_olsen', 2722, 'es-tenerife-ferry-fred-olsen-gtfs'),
  copyOf('ferries_vizcaya_bridge', 2789, 'es-biscay-bridge-ferry-gtfs'),
]
