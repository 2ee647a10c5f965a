import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { outageLog } from '../../../api/engine/replies/problem-replies.ts'
import { problem } from '../../../api/kernel/problems.ts'

test('an outage is logged once per kind and path, and then its count', async () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const outages = outageLog(log, { every_ms: 50 })
  const busy = problem('temporary-reduced-capacity', 'Too many.', { cause: new Error('all slots are taken') })
  for (let n = 0; n < 100; n++) outages.add({ problem: busy, path: '/api/a', request_id: `req_${n}` })
  outages.add({ problem: busy, path: '/api/b', request_id: 'req_b' })
  const common = { level: 40, code: 'temporary-reduced-capacity', path: '/api/a', status: 503 }
  expect(lines).toEqual([
    { ...common, request_id: 'req_0', reason: 'all slots are taken', msg: 'requests are refused' },
    { ...common, path: '/api/b', request_id: 'req_b', reason: 'all slots are taken', msg: 'requests are refused' },
  ])
  await sleep(80)
  expect(lines.slice(2)).toEqual([{ ...common, requests: 99, msg: 'more requests were refused' }])
  outages.add({ problem: busy, path: '/api/a', request_id: 'req_c' })
  // Counted: one line in that time.
  expect(lines).toHaveLength(3)
})
