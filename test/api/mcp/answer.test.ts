import { expect, test } from 'vitest'
import { answerTool } from '../../../api/mcp/answer.ts'
import type { ApiReply } from '../../../api/mcp/ask.ts'
import type { ReplyRecord, Tool } from '../../../api/mcp/tool.ts'

const stops = (count: number): ReplyRecord[] =>
  Array.from({ length: count }, (_, at) => ({ stop_id: `${at}`, stop_name: `Estación número ${at} de la línea`.padEnd(250, '.') }))

/** The answer to a call whose API returns this body. */
async function answered(body: ReplyRecord): Promise<{ readonly text: string; readonly bytes: number; readonly answer: ReplyRecord }> {
  const tool = { title: 'Trains', requests: () => [{ kind: 'train', path: '/x', query: {}, line: () => 'Train 1' }] } as unknown as Tool
  const reply: ApiReply = { status: 200, headers: new Headers(), body }
  const parts = { ask: async () => reply, baseUrl: '', isServed: () => true, clock: () => 0, signal: new AbortController().signal }
  const { text, structured } = await answerTool(tool, {}, parts)
  return { text, bytes: Buffer.byteLength(JSON.stringify(structured)), answer: structured as unknown as ReplyRecord }
}

test('a record too large for an answer loses the end of its longest list, and the answer says so', async () => {
  const { text, bytes, answer } = await answered({ id: '1', alerts: ['a'], next_stops: stops(60) })
  const [item, ...others] = answer['items'] as ReplyRecord[]
  expect(others).toEqual([])
  const left = (item?.['next_stops'] as ReplyRecord[]).length
  expect(left).toBeGreaterThan(10)
  expect([item?.['alerts'], bytes <= 8000]).toEqual([['a'], true])
  expect(answer['not_included']).toEqual([`the last ${60 - left} of 60 next_stops; the REST reply has them`])
  expect(text).toContain('Train 1')
  expect(text).not.toContain('Nothing matches')
})

test('a list too large loses its last records; a list without records matches nothing', async () => {
  const many = await answered({ total: 60, trains: stops(60) })
  expect(many.answer).toMatchObject({ truncated: true, not_included: [] })
  expect((many.answer['items'] as ReplyRecord[]).length).toBeGreaterThan(10)
  const none = await answered({ total: 0, trains: [] })
  expect([none.answer['items'], none.text]).toEqual([[], expect.stringContaining('Nothing matches.')])
})
