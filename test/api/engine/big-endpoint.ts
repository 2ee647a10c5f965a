import { defineEndpoint, type Endpoint } from '../../../api/kernel/endpoint.ts'
import { record } from '../../../api/kernel/fields.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { exampleRow, type TestService } from '../service.ts'

/** A list of the given number of numbers at /api/big, each with the text of `filler` (in the column `range`). */
export function bigEndpoint(rows: number, filler: Sql): Endpoint {
  return defineEndpoint({
    ...{ path: '/api/big', domain: 'road', plan: 'FREE', summary: 'Big', summary_es: 'Big', params: {}, example: {} },
    returns: {
      ...{ kind: 'list', name: 'numbers', key: ['n'], sorts: ['n'], order: 'n', limit: { default: 100, max: rows } },
      record: record('Number', 'A number.', {
        n: col.integer(0, 'A number.', { unit: '1', example: 1 }),
        filler: col.string(0, 'Much text.', { example: 'a' }),
      }),
    },
    read: {
      kind: 'lake',
      from: [trafficReadings],
      query: () => sql`SELECT CAST(range AS INTEGER) AS n, ${filler} AS filler FROM range(${rows})`,
    },
  })
}

/** Gives the table of the endpoint a row, as of an instant (ms). */
export async function landSomething(service: TestService, at: number): Promise<void> {
  await service.publish(trafficReadings, [exampleRow(trafficReadings)])
  await service.land(trafficReadings, [], at)
}
