import { describe, expect, test } from 'vitest'
import type { RequestContext } from '../../../api/auth/request-context.ts'
import type { ResponseBody, ResponsePlan } from '../../../api/engine/answers/response-plan.ts'
import { ResponseCache } from '../../../api/engine/replies/response-cache.ts'
import { ResponseMaker } from '../../../api/engine/replies/response-maker.ts'

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

describe('equal queries of the lake', () => {
  const context = { lease: async () => ({ release: async () => undefined }) } as unknown as RequestContext
  /** A plan that counts its queries, and the signals of those under way. */
  function counted(): { readonly plan: ResponsePlan; readonly signals: AbortSignal[]; readonly end: (text: string) => void } {
    const signals: AbortSignal[] = []
    const ended = Promise.withResolvers<string>()
    const answer = async (signal: AbortSignal): Promise<ResponseBody> => {
      signals.push(signal)
      const stopped = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
      return { pieces: [await Promise.race([ended.promise, stopped])], links: [], next_cursor: null, isPartial: false }
    }
    return { plan: { ...plan(''), answer, isFromMemory: false }, signals, end: ended.resolve }
  }
  const { signal } = new AbortController()

  test('that are under way at the same time are one', async () => {
    const making = maker()
    const { plan: equal, signals, end } = counted()
    const waits = Array.from({ length: 20 }, () => making.queried(equal, context, signal))
    await new Promise(setImmediate)
    end('rows')
    expect(new Set((await Promise.all(waits)).map(({ body }) => body.toString()))).toEqual(new Set(['rows']))
    expect(signals.length).toBe(1)
    await making.queried(equal, context, signal)
    expect(signals.length).toBe(2)
  })

  test('go on until the last caller has gone, and a later one begins anew', async () => {
    const making = maker()
    const { plan: equal, signals, end } = counted()
    const callers = [new AbortController(), new AbortController()]
    const waits = callers.map((caller) => making.queried(equal, context, caller.signal))
    const gone = Promise.allSettled(waits)
    await new Promise(setImmediate)
    callers[0]?.abort(new Error('gone'))
    await expect(waits[0]).rejects.toThrow('gone')
    expect(signals[0]?.aborted).toBe(false)
    callers[1]?.abort(new Error('gone too'))
    await gone
    expect(signals[0]?.aborted).toBe(true)
    const later = making.queried(equal, context, signal)
    await new Promise(setImmediate)
    end('rows')
    expect((await later).body.toString()).toBe('rows')
    expect(signals.length).toBe(2)
  })
})
