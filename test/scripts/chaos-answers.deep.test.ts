import { expect, test } from 'vitest'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { Reference } from '../../scripts/checks/chaos-runs/api-answers.ts'
import { type Answer, openLoop, underLoad } from '../../scripts/checks/chaos-runs/api-client.ts'
import { wrongWith } from '../../scripts/checks/chaos-runs/api-verdict.ts'

const JSON_TYPE = 'application/json'
const answer = (status: number, etag: string | undefined, body: object | null = { total: 1 }, type = JSON_TYPE): Answer => ({
  ...{ status, body: Buffer.from(body === null ? '' : JSON.stringify(body)), intended: 0, sent: 0, received: 1 },
  headers: { ...(etag === undefined ? {} : { etag }), ...(status === 304 ? {} : { 'content-type': type }) },
})
const GET = { method: 'GET', hasIt: false }
const reference = (): Reference => new Reference(answer(200, 'W/"a"'))

test('an answer keeps its tag if none of its inputs has changed', () => {
  const right = reference()
  expect(right.wrongIn(answer(200, 'W/"a"'), { ...GET, keepsTag: true })).toBeNull()
  expect(right.wrongIn(answer(200, 'W/"b"'), GET)).toBeNull()
  for (const method of ['GET', 'HEAD'])
    expect(right.wrongIn(answer(200, 'W/"b"', method === 'GET' ? { total: 1 } : null), { ...GET, method, keepsTag: true })).toContain(
      'W/"b"',
    )
  expect(right.wrongIn(answer(200, undefined), GET)).toContain('undefined')
  const problem = new Reference(answer(400, undefined))
  expect(problem.wrongIn(answer(400, undefined), { ...GET, keepsTag: true })).toBeNull()
  expect(problem.wrongIn(answer(400, 'W/"a"'), GET)).toContain('W/"a"')
})

test('only a request with the tag of the answer gets 304', () => {
  const right = reference()
  const named = { ...GET, hasIt: true, named: 'W/"a"' }
  expect(right.wrongIn(answer(304, 'W/"a"', null), named)).toBeNull()
  expect(right.wrongIn(answer(304, 'W/"b"', null), named)).toContain('304 under the tag W/"b"')
  expect(right.wrongIn(answer(200, 'W/"a"'), named)).toContain('200 in place of 304')
  expect(right.wrongIn(answer(304, 'W/"x"', null), { ...GET, named: 'W/"x"' })).toContain('304 to who has it not')
})

test('the current tag of an answer is the one to send', () => {
  const right = reference()
  expect(right.wrongIn(answer(200, 'W/"b"'), { ...GET, hasIt: true, named: 'W/"a"' })).toBeNull()
  expect(right.tag).toBe('W/"b"')
  expect(right.wrongIn(answer(200, 'W/"b"', { total: 2 }), GET)).toContain('another body')
})

test.each([
  ['/api/codes', 'system', true, true],
  ['/api/trafico/sensores/{id}/historico', 'lake', true, true],
  ['/api/incidents', 'memory', true, false],
  ['/api/freshness', 'system', false, false],
])('%s, of %s data, keeps its tag in another process: %s, and in an emptied Redis: %s', (path, kind, always, emptied) => {
  const endpoint = endpoints.find((one) => one.path === path) as (typeof endpoints)[number]
  expect(endpoint.read.kind).toBe(kind)
  const ask = { endpoint, path, headers: {} }
  const shot = { caller: { id: null, headers: {} }, ask, request: { path }, hasIt: false }
  for (const [isEmptied, keeps] of [
    [false, always],
    [true, emptied],
  ] as const) {
    const at = { isAway: false, isEmptied, endsBy: new Map(), references: new Map([[ask, reference()]]) }
    expect(wrongWith('live', shot, answer(200, 'W/"b"'), at) === null, `emptied: ${isEmptied}`).toBe(!keeps)
  }
})

test('a log of changes that was lost with Redis states that it restarts, and nothing else', () => {
  const endpoint = endpoints.find(({ read }) => read.kind === 'changes') as (typeof endpoints)[number]
  const name = endpoint.returns.kind === 'list' ? endpoint.returns.name : ''
  const ask = { endpoint, path: endpoint.path, headers: {} }
  const shot = { caller: { id: null, headers: {} }, ask, request: { path: ask.path }, hasIt: false }
  const was = { reset: false, [name]: [{ id: 'a' }] }
  const wrong = (given: Answer, isEmptied = true): string | null =>
    wrongWith('live', shot, given, {
      ...{ isAway: false, isEmptied, endsBy: new Map() },
      references: new Map([[ask, new Reference(answer(200, 'W/"a"', was))]]),
    })
  for (const reset of [true, false]) {
    expect(wrong(answer(200, 'W/"b"', { reset, [name]: [] }))).toBeNull()
    expect(wrong(answer(200, 'W/"b"', { reset, [name]: [] }), false)).not.toBeNull()
    expect(wrong(answer(200, 'W/"b"', { reset, [name]: [{ id: 'b' }] }))).toContain('another body')
  }
  expect(wrong(answer(200, 'W/"b"', was))).toBeNull()
  expect(wrong(answer(200, 'W/"b"', { [name]: [] }))).toContain('another body')
  const table = (link: string): Answer => {
    const made = answer(200, 'W/"b"', null, 'text/csv; charset=utf-8')
    return { ...made, headers: { ...made.headers, link } }
  }
  expect(wrong(table('</x>; rel="next"; reset="true"; more="false"'))).toBeNull()
  expect(wrong(table('</x>; rel="next"'))).toContain('text/csv')
})

test('a load ends with its work, also if the work fails', async () => {
  for (const fails of [false, true]) {
    let [asked, isEnded] = [0, false]
    const load = async (isOver: () => boolean): Promise<number> => {
      await openLoop(500, isOver, async () => void asked++)
      isEnded = true
      return asked
    }
    const work = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      if (fails) throw new Error('the work fails')
    }
    if (fails) await expect(underLoad(load, work)).rejects.toThrow('the work fails')
    else expect(await underLoad(load, work)).toBe(asked)
    expect([isEnded, asked > 0]).toEqual([true, true])
  }
  const broken = underLoad(
    () => Promise.reject(new Error('the load fails')),
    () => new Promise((resolve) => setTimeout(resolve, 20)),
  )
  await expect(broken).rejects.toThrow('the load fails')
})
