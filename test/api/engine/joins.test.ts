import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { derivations } from '../../../jobs/derive/catalog.ts'
import type { Derived } from '../../../jobs/derive/define.ts'
import { monthSpan } from '../../../jobs/derive/lineage.ts'
import { DUCKDB } from '../../../lake/query/dialect.ts'
import { scan } from '../../../lake/query/scan.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import { endpointSql } from '../../../scripts/checks/benches/endpoint-sql.ts'
import { exampleService } from '../example-service.ts'
import type { TestService } from '../service.ts'

const COVERED = { from: Date.UTC(2025, 0, 1), until: Date.UTC(2027, 0, 1) }

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

/** The engine's plan of a query. */
async function planOf(query: Sql): Promise<string> {
  return await service.lake.use({}, async (session) => String(await session.values(sql`EXPLAIN ${query}`)))
}

/** The query by which a derivation reads or builds its rows, for a possible partition. */
function rowsOf(derived: Derived): Sql {
  const part = { version: '2024', from: ['2023', '2024'] }
  if (derived.by === 'months')
    return derived.rows(
      monthSpan('2026-01'),
      derived.from.map((dataset) => scan(dataset)),
      DUCKDB,
    )
  return derived.by === 'model' ? derived.reads(part) : derived.rows(part, derived.newest?.map(() => '2024') ?? [])
}

// A join without any equality compares every row with every other, unless the engine can split them: a minute for a year of
// accidents with their positions. Between a handful of rows and many it is right, and has another name.
describe('no rows are joined each with every other', () => {
  test.each(endpoints.filter(({ read }) => read.kind === 'lake'))('$path', async (endpoint) => {
    const { first, page, asides } = endpointSql(endpoint, requestOf(endpoint), COVERED)
    const found = first ? await service.lake.query(first) : []
    for (const query of [...(first ? [first] : []), page(found), ...asides(found)])
      expect(await planOf(query)).not.toContain('BLOCKWISE_NL_JOIN')
  })

  test.each(derivations)('$into.id', async (derived) => {
    expect(await planOf(rowsOf(derived))).not.toContain('BLOCKWISE_NL_JOIN')
  })
})
