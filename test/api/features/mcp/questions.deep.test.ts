import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedService, startSimulatedService } from '../../../helpers/simulated-service.ts'
import type { Reply } from '../../service.ts'
import { connect } from './clients.ts'
import { type Fact, questions } from './questions.ts'

/** The last feeds arrive minutes after the start. */
const FIRST_DATA_MS = 300_000

let service: SimulatedService
let client: Client
let headers: Readonly<Record<string, string>>
beforeAll(async () => {
  service = await startSimulatedService()
  const key = await service.key('ENTERPRISE')
  headers = { 'X-API-Key': key, Accept: 'application/json' }
  client = await connect(service.url, { key })
})
afterAll(async () => {
  await client?.close()
  await service?.stop()
})

/** Records of a request; none while its data has not arrived. */
async function recordsOf(path: string): Promise<readonly Fact[]> {
  const body = (await (await fetch(`${service.url}${path}`, { headers })).json()) as Reply
  return Object.values(body).find((value): value is Fact[] => Array.isArray(value)) ?? []
}

test('there are thirty', () => {
  expect(questions).toHaveLength(30)
})

test.each(questions.map((one) => [one.question, one] as const))(
  '%s',
  async (_question, { tool, args, rest, says }) => {
    const until = Date.now() + FIRST_DATA_MS
    for (;;) {
      const before = await recordsOf(rest)
      const result = (await client.callTool({ name: tool, arguments: args })) as Reply
      const after = await recordsOf(rest)
      const text = (result.content as Reply[]).map((one) => one.text).join('\n')
      const isTrueOf = (records: readonly Fact[]): boolean =>
        records.length > 0 && says.every((name) => records[0]?.[name] === null || text.includes(String(records[0]?.[name])))
      if (!result.isError && (isTrueOf(before) || isTrueOf(after))) return
      if (Date.now() > until) expect({ text, facts: after[0] }).toBe('the facts in the text')
      // An equal call is answered from memory for a minute.
      await new Promise((resolve) => setTimeout(resolve, result.isError ? 5000 : 61_000))
    }
  },
  2 * FIRST_DATA_MS,
)
