import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { metroMalagaGtfs } from '../../../jobs/feeds/rail/networks.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()

interface Case {
  /** The rows of a dataset. */
  readonly rows: (dataset: string) => readonly AnyRow[]
  /** How often each warning was counted. */
  readonly warnings: ReadonlyMap<string, number>
  /** Rejected rows of all datasets. */
  readonly rejected: number
}

/** Parses a case as the feed does. */
async function read(feed: Feed, file: string): Promise<Case> {
  const bytes = readFileSync(join(shared as string, 'cases', file))
  const { rows, report } = await parsePublication(feed, [{ name: file, bytes }], Date.UTC(2026, 10, 27, 12), { keeps: () => true })
  const rejected = Object.values(report.quarantined).flatMap((reasons) => Object.values(reasons))
  return {
    rows: (dataset) => rows.get(dataset) ?? [],
    warnings: report.warnings,
    rejected: rejected.reduce((sum, count) => sum + count, 0),
  }
}

/** Small inputs that failed, with their right values: `cases/README.md` of the shared folder. */
describe.skipIf(!shared)('cases of the shared folder', () => {
  test('exponents are numbers of stops and shapes', async () => {
    const { rows, rejected, warnings } = await read(metroMalagaGtfs, 'gtfs-exponents.zip')
    expect(rows('rail_stations').find(({ stop_id }) => stop_id === 'METRO_MALAGA:5')?.['position']).toEqual({ lat: 36.725, lon: 0.000023 })
    expect(rows('rail_shapes').map(({ points }) => points)).toEqual([12])
    expect([rejected, [...warnings]]).toEqual([0, []])
  })

  test('a decimal comma that is not declared costs a point, not the line', async () => {
    const { rows, rejected, warnings } = await read(metroMalagaGtfs, 'gtfs-decimal-comma.zip')
    expect(rows('rail_stations').find(({ stop_id }) => stop_id === 'METRO_MALAGA:5')?.['position']).toBeNull()
    expect(rows('rail_shapes').map(({ points }) => points)).toEqual([11])
    expect([rejected, warnings.get('a point of a line or area is unreadable or out of range: left out')]).toEqual([0, 1])
  })
})
