import { expect, test } from 'vitest'
import type { NewKey } from '../../../api/auth/accounts.ts'
import { DAY_MS, type Stage, stage } from './stage.ts'

const ANA = { email: 'ana.garcia@example.org', label: 'Mi coche', language: 'es' } as const

/** Writes of an account with one key that begin at once, and whether each shows afterwards. */
const WRITES: readonly (readonly [string, (one: Stage, key: NewKey) => Promise<unknown>, (one: Stage, key: NewKey) => Promise<boolean>])[] =
  [
    [
      'grant',
      ({ accounts }, key) => accounts.grant({ ...key, plan: 'PRO' }),
      async ({ accounts }, { account }) =>
        (await accounts.list(account))
          .filter(({ label, status }) => label === ANA.label && status !== 'REVOKED')
          .every(({ plan }) => plan === 'PRO'),
    ],
    [
      'rotate',
      ({ accounts }, key) => accounts.rotate({ ...key, overlap_ms: DAY_MS }),
      async ({ accounts }, { account }) => (await accounts.list(account)).some(({ status }) => status === 'ROTATING'),
    ],
    [
      'confirm',
      ({ accounts }, { account }) => accounts.confirm(account),
      async ({ accounts }, { account, id }) => {
        const listed = await accounts.list(account)
        return listed.every((key) => key.ends_at === null || (key.id === id && key.status === 'ROTATING'))
      },
    ],
    [
      'create',
      ({ accounts }) => accounts.create({ ...ANA, label: 'second' }),
      async ({ accounts }, { account }) => (await accounts.list(account)).some(({ label }) => label === 'second'),
    ],
    [
      'usage mails',
      ({ accounts }, { account }) => accounts.setUsageMails(account, true),
      ({ accounts }, { account }) => accounts.usageMails(account).then((isWanted) => isWanted === true),
    ],
  ]
const pairs = WRITES.flatMap((one, at) => WRITES.slice(at + 1).map((other) => [one[0], other[0], one, other] as const))

test.each(pairs)('%s beside %s: neither is lost', async (_one, _other, ...writes) => {
  for (let round = 0; round < 3; round++) {
    const one = await stage({ unconfirmed_ms: 10 * DAY_MS })
    const key = await one.accounts.create(ANA)
    await Promise.all(writes.map(([, send]) => send(one, key)))
    await one.accounts.tidy()
    expect(await Promise.all(writes.map(([, , shows]) => shows(one, key)))).toEqual([true, true])
  }
})
