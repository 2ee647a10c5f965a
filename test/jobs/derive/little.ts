import { defineDerived, type VersionsSpec } from '../../../jobs/derive/define.ts'
import { batch, defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { scan } from '../../../lake/query/scan.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineDataset, identity } from '../../../lake/schema/dataset.ts'
import { littleFeed } from '../../helpers/pipeline.ts'

const SHARED = {
  domain: 'rail',
  about: 'By version.',
  sources: [dgt],
  version: 'version',
  time: 'valid_from',
  writeMode: 'replace',
  partition: [identity('version')],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
} as const

/** Stops by version. */
export const stops = defineDataset({
  ...SHARED,
  id: 'little_stops',
  title: 'Stops',
  columns: { version: col.string(1, 'Version.'), stop_id: col.string(2, 'Stop.'), valid_from: col.instant(3, 'Begin.') },
  entity: ['version', 'stop_id'],
  order: ['version', 'stop_id'],
})

/** Lines by version. */
export const lines = defineDataset({
  ...SHARED,
  id: 'little_lines',
  title: 'Lines',
  columns: { version: col.string(1, 'Version.'), line: col.string(2, 'Line.'), valid_from: col.instant(3, 'Begin.') },
  entity: ['version', 'line'],
  order: ['version', 'line'],
})

/** The differences of each version from the one before it, in both directions. */
export const differences = defineDataset({
  ...SHARED,
  id: 'little_differences',
  title: 'Differences',
  columns: {
    version: col.string(1, 'Version.'),
    previous: col.string(2, 'Version before it.'),
    name: col.string(3, 'What differs, with a sign.'),
    valid_from: col.instant(4, 'Begin.'),
  },
  entity: ['version', 'name'],
  order: ['version', 'name'],
})

/** The derivation; another revision or other rows stand for a correction. */
export function littleDerived(change: Partial<Pick<VersionsSpec, 'revision' | 'rows'>> = {}): VersionsSpec {
  return defineDerived({
    by: 'versions',
    into: differences,
    from: [stops, lines],
    revision: 1,
    parts: (versions) =>
      versions
        .toSorted()
        .slice(1)
        .map((version) => ({ version, from: [versions.toSorted()[versions.toSorted().indexOf(version) - 1] as string, version] })),
    rows: ({ version, from: [previous = ''] }) => {
      const names = (of: string): Sql =>
        sql`SELECT stop_id AS name FROM ${scan(stops, { version: { eq: of } })} UNION ALL SELECT line FROM ${scan(lines, { version: { eq: of } })}`
      return sql`
        SELECT ${version} AS version, ${previous} AS previous, name, make_timestamptz(0) AS valid_from
        FROM (
          SELECT '+' || name AS name FROM (${names(version)}) WHERE name NOT IN (${names(previous)})
          UNION ALL SELECT '-' || name FROM (${names(previous)}) WHERE name NOT IN (${names(version)})
        )`
    },
    ...change,
  })
}

/** One publication: names of stops (small letters) and lines (capitals) by version. */
export type Timetable = Readonly<Record<string, readonly string[]>>

/** A feed of stops and lines. */
export const feed: Feed = defineFeed({
  ...littleFeed(),
  into: [stops, lines],
  bands: {},
  *rows(bodies, _clock, diagnostics) {
    const { at, versions } = JSON.parse(String(bodies[0]?.bytes)) as { at: string; versions: Timetable }
    diagnostics.publishedAt(Date.parse(at))
    for (const [version, names] of Object.entries(versions)) {
      const isStop = (name: string): boolean => name === name.toLowerCase()
      yield batch(
        stops,
        names.filter(isStop).map((stop_id) => ({ version, stop_id, valid_from: 0 })),
      )
      yield batch(
        lines,
        names.filter((name) => !isStop(name)).map((line) => ({ version, line, valid_from: 0 })),
      )
    }
  },
})
