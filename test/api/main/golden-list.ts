import { beforeAll, expect, test } from 'vitest'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type GoldenRow, golden } from '../../helpers/golden.ts'
import type { Reply, TestService } from '../service.ts'

/** A list of the lake, its possible values by plain SQL over the files, and requests. */
export interface GoldenList {
  readonly path: string
  readonly datasets: readonly Dataset[]
  /** All records in the list's own order, with the members to compare. Instants are `epoch_ms`, with names in `_at`. */
  readonly sql: string
  /** Queries, each with its expected rows: all (`true`), none (`false`), or those of a predicate, which must find only some. */
  readonly requests: readonly (readonly [query: string, wanted: boolean | ((row: GoldenRow) => boolean)])[]
}

/** Declares a test for each request: its records are the expected golden rows, in order. */
export function testGoldenList({ path, datasets, sql, requests }: GoldenList, service: () => TestService): void {
  let rows: readonly GoldenRow[]
  beforeAll(async () => {
    rows = await golden(service().lake, datasets, sql)
  })
  test.each(requests)(`${path}?%s`, async (query, wanted) => {
    const { meta: _meta, ...reply } = await service().json(`${path}?${query}`)
    const list = Object.values(reply).find(Array.isArray) as readonly Reply[]
    const names = Object.keys(rows[0] as GoldenRow)
    const members = (one: GoldenRow): unknown[] =>
      names.map((name) => (name.endsWith('_at') && one[name] !== null ? new Date(one[name] as number | string).toISOString() : one[name]))
    const expected = rows.filter(typeof wanted === 'boolean' ? () => wanted : wanted)
    expect(list.map(members)).toEqual(expected.map(members))
    if (typeof wanted !== 'boolean') expect([0, rows.length]).not.toContain(expected.length)
  })
}
