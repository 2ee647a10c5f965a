import { expect, test } from 'vitest'
import type { ResponseBody, ResponsePlan } from '../../api/http/answer.ts'
import { ResponseCache } from '../../api/http/response-cache.ts'
import { ResponseMaker } from '../../api/http/response-maker.ts'

const maker = (): ResponseMaker => new ResponseMaker({ cache: new ResponseCache({ bytes: 1e6 }), wait_ms: 0 })

/** A plan whose answer is a text, or a text without an optional part. */
function plan(text: string, isPartial = false): ResponsePlan {
  const head = { etag: 'W/"a"', content_type: 'text/plain', format: null, isText: true, language: null, links: [], data_time: 0 }
  const times = { modified_at: 1000, refreshAt: () => 2e12, cadence_s: 300, clockGranularity_s: 0, step: 0 }
  const answer = async (): Promise<ResponseBody> => {
    await new Promise((resolve) => setImmediate(resolve))
    return { pieces: [text], links: [], next_cursor: null, isPartial }
  }
  return { head: { ...head, ...times }, answer, isFromMemory: true }
}

test('a caller does not get the partial answer of another whose place was taken', async () => {
  const making = maker()
  const [partial, whole] = await Promise.all([making.shared(plan('some', true)), making.shared(plan('all'))])
  expect([partial.body.toString(), whole.body.toString()]).toEqual(['some', 'all'])
  expect(whole.head.etag).toBe('W/"a"')
})

test('answers that lack different parts have different tags, and none lasts', async () => {
  const [one, other, again] = await Promise.all(['one', 'other', 'one'].map((text) => maker().shared(plan(text, true))))
  expect(one?.head.etag).not.toBe(other?.head.etag)
  expect(one?.head.etag).toBe(again?.head.etag)
  expect([one?.head.modified_at, one?.head.refreshAt(), one?.head.cadence_s]).toEqual([null, 0, 1])
})
