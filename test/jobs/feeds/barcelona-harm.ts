import { expect } from 'vitest'
import { barcelonaAccidents } from '../../../jobs/feeds/safety/barcelona-accidents.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'

/** The totals of a file of Barcelona's accidents: all, killed, seriously and slightly hurt, located, and rejected records. */
export async function barcelonaHarm(bytes: Buffer): Promise<unknown[]> {
  const { rows, report } = await parsePublication(barcelonaAccidents, [{ name: 'accidents', bytes }], Date.UTC(2026, 10, 1), {
    keeps: () => true,
  })
  const accidents = rows.get('road_accidents') ?? []
  const sum = (name: string): number => accidents.reduce((total, row) => total + (row[name] as number), 0)
  const twice = report.warnings.get('an accident that is in the file twice') ?? 0
  const located = accidents.filter((row) => row['position'] !== null).length
  expect(report.unknownCodes).toEqual({})
  const harm = [sum('killed_24h'), sum('hospitalised_24h'), sum('slight_24h')]
  return [accidents.length + twice, ...harm, located, report.quarantined['road_accidents'] ?? {}]
}
