import { expect, test } from 'vitest'
import { type Charge, type Policy, perDay, perMinute } from '../../../api/access/limits/policy.ts'
import { type NextPart, Uncarried } from '../../../api/access/limits/uncarried.ts'

const DAY = perDay(1000)
const NOON_MS = 1_790_000_040_000

/** One whose clock stands until it is moved, and what it has lost. */
function uncarried(): { readonly all: Uncarried; readonly lost: number[]; readonly pass: (ms: number) => void } {
  let passed_ms = 0
  const lost: number[] = []
  const all = new Uncarried({
    here_ms: () => 500_000 + passed_ms,
    epoch_ms: () => NOON_MS + passed_ms,
    onLost: (units) => lost.push(units),
  })
  return { all, lost, pass: (ms) => void (passed_ms += ms) }
}

function chargeOf(slot: string, units: number, policies: readonly Policy[] = [DAY]): Charge {
  const charged = policies.map((policy) => ({ slot, policy, units, at_s: 0, mark: 0 }))
  return { admitted: true, standings: [], retry_after_s: 0, by: 'process', charged }
}

/** All parts to come, each answered. */
function parts(all: Uncarried, first: readonly string[] = []): NextPart[] {
  const found: NextPart[] = []
  for (let part = all.next(first); part; part = all.next(first)) {
    found.push(part)
    all.settle(part.calls.map(() => null))
  }
  return found
}

test('units wait by slot, policy and minute, with how long ago at most they were charged', () => {
  const { all, pass } = uncarried()
  expect(all.isEmpty).toBe(true)
  for (const [ms, units] of [
    [0, 1],
    [59_999, 2],
    [1, 3],
    [70_000, 4],
  ] as const) {
    pass(ms)
    all.note(chargeOf('a', units))
  }
  pass(999)
  expect(all.has('a')).toBe(true)
  expect(parts(all)).toEqual([
    {
      number: 1,
      calls: [
        {
          slot: 'a',
          policy: DAY,
          first_ago_s: 130,
          units: [
            { ago_s: 71, units: 3 },
            { ago_s: 70, units: 3 },
            { ago_s: 0, units: 4 },
          ],
        },
      ],
    },
  ])
  expect([all.isEmpty, all.has('a')]).toEqual([true, false])
})

test('what has left the window waits no more, and a slot keeps no more minutes than the window has', () => {
  const { all, pass } = uncarried()
  for (let minute = 0; minute < 3000; minute++) {
    all.note(chargeOf('a', 1))
    pass(60_000)
  }
  const [part] = parts(all)
  expect(part?.calls[0]?.units.length).toBeGreaterThanOrEqual(1440)
  expect(part?.calls[0]?.units.length).toBeLessThanOrEqual(1443)
})

test('of a window that is counted in seconds these wait, as long as they count', () => {
  const { all, lost, pass } = uncarried()
  const both = (units: number): void => all.note(chargeOf('a', units, [perMinute(10), DAY]))
  both(1)
  pass(1000)
  both(2)
  const minutes = (found: readonly NextPart[]): unknown[] =>
    found.flatMap(({ calls }) => calls.filter(({ policy }) => policy.name === 'minute').map(({ units }) => units))
  expect(minutes(parts(all))).toEqual([
    [
      { ago_s: 1, units: 1 },
      { ago_s: 0, units: 2 },
    ],
  ])
  both(3)
  pass(63_000)
  expect(parts(all).flatMap(({ calls }) => calls.map(({ policy, units }) => [policy.name, units]))).toEqual([
    ['day', [{ ago_s: 63, units: 3 }]],
  ])
  both(4)
  all.close()
  // What only a minute counts is missed by nobody.
  expect(lost).toEqual([4])
})

test('parts are small, all together hold everything once, and those that are asked for come first', () => {
  const { all } = uncarried()
  for (let n = 0; n < 1000; n++) all.note(chargeOf(`s${n}`, n))
  const found = parts(all, ['s700', 'unknown', 's3'])
  expect(found[0]?.calls.slice(0, 2).map(({ slot }) => slot)).toEqual(['s700', 's3'])
  expect(Math.max(...found.map(({ calls }) => calls.length))).toBe(128)
  expect(found.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  const units = new Map(found.flatMap(({ calls }) => calls.map((one) => [one.slot, one.units[0]?.units] as const)))
  expect(units).toEqual(new Map(Array.from({ length: 999 }, (_, n) => [`s${n + 1}`, n + 1])))
})

test('a part of long times without Redis holds fewer slots', () => {
  const { all, pass } = uncarried()
  for (let minute = 0; minute < 1000; minute++) {
    for (const slot of ['a', 'b', 'c', 'd', 'e']) all.note(chargeOf(slot, 1))
    pass(60_000)
  }
  expect(parts(all).map(({ calls }) => calls.map(({ slot }) => slot).join(''))).toEqual(['ab', 'cd', 'e'])
})

test('a part without an answer is asked again as it was, what came meanwhile in the next', () => {
  const { all, pass } = uncarried()
  all.note(chargeOf('a', 1))
  const first = all.next([])
  all.settle(undefined)
  pass(5000)
  all.note(chargeOf('a', 2))
  expect(all.has('b')).toBe(true)
  const [again, next] = parts(all)
  expect(again).toMatchObject({ number: first?.number, calls: [{ first_ago_s: 5, units: [{ ago_s: 5, units: 1 }] }] })
  expect(next).toMatchObject({ number: 2, calls: [{ first_ago_s: 0, units: [{ ago_s: 0, units: 2 }] }] })
})

test('a charge is taken back from what waits, or from where Redis has added it, or not where it did not say', async () => {
  const { all, pass } = uncarried()
  const [waiting, added, all_of_it, unanswered, recorded] = [2, 3, 4, 5, 6].map((units, n) => chargeOf(`s${n}`, units)) as Charge[]
  for (const one of [waiting, added, all_of_it, recorded]) all.note(one as Charge)
  const more = chargeOf('s0', 1)
  all.note(more)
  expect(await all.takeBack(waiting as Charge)).toEqual([])
  expect(await all.takeBack(all_of_it as Charge)).toEqual([])
  pass(2000)
  const part = all.next([])
  expect(part?.calls.map(({ slot, units }) => [slot, units[0]?.units])).toEqual([
    ['s0', 1],
    ['s1', 3],
    ['s4', 6],
  ])
  // One that comes while Redis is asked waits for the answer.
  const back = all.takeBack(added as Charge)
  all.settle([{ mark: 7, now_s: 1000 }, { mark: 8, now_s: 1000 }, null])
  expect(await back).toEqual([{ slot: 's1', policy: DAY, units: 3, at_s: 998, mark: 8 }])
  expect(await all.takeBack(recorded as Charge)).toEqual([])
  all.note(unanswered as Charge)
  all.next([])
  all.settle(undefined)
  expect(await all.takeBack(unanswered as Charge)).toEqual([])
  expect(parts(all).map(({ calls }) => calls[0]?.units[0]?.units)).toEqual([5])
  expect(await all.takeBack(chargeOf('never noted', 1))).toEqual([])
})

test('what does not fit, and what waits at the end, is told as lost', () => {
  const { all, lost } = uncarried()
  for (let n = 0; n < 50_010; n++) all.note(chargeOf(`s${n}`, 2))
  all.note(chargeOf('s0', 3))
  expect(lost).toEqual([])
  const part = all.next([])
  expect(lost).toEqual([20])
  expect(part?.calls[0]).toMatchObject({ slot: 's0', units: [{ units: 5 }] })
  all.settle([])
  all.close()
  expect(lost).toEqual([20, 2 * (50_000 - 128)])
})
