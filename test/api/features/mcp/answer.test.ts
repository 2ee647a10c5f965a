import { expect, test } from 'vitest'
import { answerTool } from '../../../../api/features/mcp/answer.ts'
import type { ApiReply } from '../../../../api/features/mcp/ask.ts'
import { localTime, withLocalTimes, zoneOfRecord } from '../../../../api/features/mcp/text.ts'
import type { ReplyRecord, Tool, ToolRequest } from '../../../../api/features/mcp/tool.ts'

const stops = (count: number): ReplyRecord[] =>
  Array.from({ length: count }, (_, at) => ({ stop_id: `${at}`, stop_name: `Estación número ${at} de la línea`.padEnd(250, '.') }))

/** The time of the calls. */
const NOW = Date.UTC(2026, 6, 1, 22, 30)
const TRAIN: Pick<ToolRequest, 'kind' | 'path' | 'query' | 'fields' | 'line'> = {
  ...{ kind: 'train', path: '/x', query: {}, fields: [] },
  line: () => 'Train 1',
}

/** The answer to a call whose API returns these bodies, one for each request of its tool. */
async function answered(
  body: ReplyRecord | readonly ReplyRecord[],
  requests: readonly object[] = [{}],
): Promise<{ readonly text: string; readonly bytes: number; readonly answer: ReplyRecord }> {
  const tool = { title: 'Trains', requests: () => requests.map((one) => ({ ...TRAIN, ...one })) } as unknown as Tool
  const bodies = [body].flat()
  const headers = new Headers({ 'x-data-age': '600' })
  const ask = async (): Promise<ApiReply> => ({ status: 200, headers, body: bodies.shift() as ReplyRecord })
  const parts = { ask, baseUrl: '', clock: () => NOW, signal: new AbortController().signal }
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

test('an answer too large keeps a record of each kind', async () => {
  const bodies = [60, 2, 40].map((count) => ({ total: count, trains: stops(count) }))
  const { bytes, answer, text } = await answered(bodies, [{ kind: 'one' }, { kind: 'two' }, { kind: 'three' }])
  const kinds = (answer['items'] as ReplyRecord[]).map(({ kind }) => kind)
  const shown = ['one', 'two', 'three'].map((kind) => kinds.filter((one) => one === kind).length)
  expect([bytes <= 8000, shown[1], Math.abs((shown[0] as number) - (shown[2] as number)) <= 3]).toEqual([true, 2, true])
  expect(text).toContain(`three: 40 found, ${shown[2]} shown`)
})

test('empty lists of inputs are as if they were absent', async () => {
  const given: object[] = []
  const tool = { title: 'Trains', requests: (input: object) => given.push(input) && [TRAIN] } as unknown as Tool
  const ask = async (): Promise<ApiReply> => ({ status: 200, headers: new Headers(), body: { total: 0, trains: [] } })
  await answerTool(tool, { type: [], limit: 3 } as object, { ask, baseUrl: '', clock: () => NOW, signal: new AbortController().signal })
  expect(given).toEqual([{ limit: 3 }])
})

test('each kind of record states the age of its own data, what was asked comes first, and records without a value are left out', async () => {
  const line = (one: ReplyRecord): string => `Sensor ${String(one['id'])} at ${String(one['observed_at'])}`
  const sensors = [
    { id: '1', observed_at: '2026-07-01T22:29:00.000Z' },
    { id: '2', observed_at: null, reason: 'not enough data: 3 weeks' },
  ]
  const bodies = [
    { total: 2, sensors, updated_at: '2026-07-01T20:00:00.000Z', meta: { stale: false } },
    { total: 1, trains: [{ id: '3' }], updated_at: '2026-07-01T22:20:00.000Z', meta: { stale: true } },
  ]
  const { text, answer } = await answered(bodies, [
    { kind: 'road_sensor', fields: ['observed_at'], line, isSaid: (one: ReplyRecord) => one['observed_at'] !== null },
    {},
  ])
  expect(text.split('\n').slice(0, 5)).toEqual([
    'Trains, road sensor: 2 found, 1 shown. Data of 2026-07-01T22:29:00.000Z (2026-07-02 00:29 local), 60 s old. It is 2026-07-02 00:30 in Madrid.',
    '- Sensor 1 at 2026-07-01T22:29:00.000Z (2026-07-02 00:29 local)',
    'train: 1 found. Data of 2026-07-01T22:20:00.000Z (2026-07-02 00:20 local), 10 min old; STALE: the publisher is late.',
    '- Train 1',
    'Not included: road_sensor: 1 without a value (not enough data: 3 weeks).',
  ])
  expect(answer).toMatchObject({ updated_at: '2026-07-01T22:29:00.000Z', data_age_s: 60, total: 3, stale: true })
  expect((answer['items'] as ReplyRecord[]).map(({ kind }) => kind)).toEqual(['road_sensor', 'train'])
  const nothing = await answered(bodies[1] as ReplyRecord, [{ isSaid: () => false }])
  expect(nothing.text).toMatch(/^Trains: 1 found, 0 shown\. It is/)
  expect(nothing.answer).toMatchObject({ updated_at: null, data_age_s: null, items: [] })
})

test('an answer without records says what the data does not cover', async () => {
  const meta = { coverage: { note: 'There is no source for Bizkaia.' } }
  const { text } = await answered({ total: 0, incidents: [], meta })
  expect(text).toContain('Nothing matches.\nNote: There is no source for Bizkaia.')
})

test('local times are those of the place of a record, in winter and summer', () => {
  expect(withLocalTimes('at 2026-01-02T22:30:00.000Z, 2026-07-02T10:00:00Z')).toBe(
    'at 2026-01-02T22:30:00.000Z (23:30 local), 2026-07-02T10:00:00Z (12:00 local)',
  )
  const zones = [
    { airport: 'TFN' },
    { province: 'Las Palmas' },
    { lat: 28.1, lon: -15.4 },
    { provinces: ['Las Palmas', 'Santa Cruz de Tenerife'] },
    { origin_timezone: 'Atlantic/Canary', origin: 'Los Cristianos' },
    { airport: 'MAD' },
    { province: 'Madrid', lon: -3.7 },
    { provinces: ['Las Palmas', 'Cádiz'] },
    {},
  ]
  const times = zones.map((one) => localTime(NOW, zoneOfRecord(one) as string).slice(11))
  expect(times).toEqual([...Array(5).fill('23:30'), ...Array(4).fill('00:30')])
  // Of a port abroad only the instant is known.
  expect(withLocalTimes('at 2026-01-02T22:30:00.000Z', zoneOfRecord({ origin_timezone: null }))).toBe('at 2026-01-02T22:30:00.000Z')
})
