import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readPlans } from '../../../api/auth/plans.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import type { Plan } from '../../../lake/schema/dataset.ts'
import { bodyOf } from '../../helpers/smtp.ts'
import { until } from '../../helpers/until.ts'
import { exampleRow, startService, type TestService } from '../service.ts'
import { textOf } from './stage.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const DAY_MS = 86_400_000
const plans = readPlans('{"ANONYMOUS": {"minute": 50, "day": 10}, "FREE": {"minute": 50, "day": 10}, "PRO": {"minute": 60, "day": 10}}')

let now: number
let service: TestService
beforeEach(async () => {
  now = T0
  service = await startService({ plans, clock: () => now })
  await service.publish(incidents, [exampleRow(incidents)])
})
afterEach(() => service?.close())

interface Owner {
  readonly account: string
  readonly id: string
  readonly key: string
}

async function owner(email: string, plan: Plan, isConfirmed = true): Promise<Owner> {
  const made = await service.access.accounts.create({ email, label: null, language: 'en', plan })
  if (isConfirmed) await service.access.accounts.confirm(made.account)
  return made
}

async function ask({ key }: Owner, times: number): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < times; n++) statuses.push((await service.open('/api/incidents', { 'X-API-Key': key })).status)
  return statuses
}

/** The sent mails, each as recipient, subject and text. */
function mails(): { readonly to: string; readonly subject: string; readonly text: string }[] {
  if (!existsSync(service.outbox)) return []
  const files = readdirSync(service.outbox).filter((name) => name.endsWith('.eml'))
  return files.sort().map((name) => {
    const data = readFileSync(join(service.outbox, name), 'utf8')
    const head = (line: string): string => new RegExp(`^${line}: (.*)$`, 'm').exec(data.replaceAll(/\r\n[ \t]+/g, ' '))?.[1]?.trim() ?? ''
    return { to: head('To'), subject: head('Subject'), text: bodyOf(data) }
  })
}

const settled = async (count: number): Promise<void> => {
  await until(`${count} mails`, () => mails().length >= count)
  // None comes after.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(mails()).toHaveLength(count)
}

test("a plan's owner is notified at 80 and at 100 per cent of the day, once each, and again another day", async () => {
  const [paying, free, stranger] = [
    await owner('pro@example.org', 'PRO'),
    await owner('free@example.org', 'FREE'),
    await owner('unsure@example.org', 'PRO', false),
  ]
  expect(await ask(paying, 7)).toEqual(Array(7).fill(200))
  expect([await ask(free, 12), await ask(stranger, 12)].flat().filter((status) => status === 429)).toHaveLength(4)
  await settled(0)
  await ask(paying, 2)
  await settled(1)
  expect(await ask(paying, 4)).toEqual([200, 429, 429, 429])
  await settled(2)
  const sent = mails()
  expect(sent.map(({ to }) => to)).toEqual(['pro@example.org', 'pro@example.org'])
  const hint = `${paying.key.slice(0, 8)}…${paying.key.slice(-4)}`
  expect(sent.map(({ text }) => /has used (\d+)% of the 10 requests/.exec(text)?.[1])).toEqual(['80', '100'])
  for (const { text } of sent) {
    expect(text).toContain(hint)
    expect(text).toContain(`${service.url}/account`)
    expect(text).not.toContain(paying.key)
  }
  // Another process, or this one after a restart.
  const { key } = await service.access.keys.lookUp(paying.key)
  const used = { key: key as NonNullable<typeof key>, level: 100, limit: 10, page: 'http://localhost/account' } as const
  await service.access.mailUsage({ ...used, date: '2026-01-02' })
  await settled(2)
  now += DAY_MS
  expect(await ask(paying, 2)).toEqual([429, 429])
  await settled(3)
  expect(/(pro|free|unsure)@|tia_\w{5}/i.test(await textOf(service.lake.store))).toBe(false)
})

test('an account says on its page whether it wants that', async () => {
  const [quiet, eager] = [await owner('quiet@example.org', 'PRO'), await owner('eager@example.org', 'FREE')]
  const session = async ({ account }: Owner): Promise<Record<string, string>> => ({
    ...(await service.session(account)),
    'Accept-Language': 'en',
  })
  const page = async (one: Owner): Promise<string> => (await service.open('/account', await session(one))).text()
  const say = async (one: Owner, wanted: string): Promise<Response> =>
    fetch(`${service.url}/account`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...(await session(one)) },
      body: new URLSearchParams({ act: 'usage-mails', wanted }).toString(),
      redirect: 'manual',
    })
  expect(await page(quiet)).toContain('They are sent for keys of the plans PRO and ENTERPRISE.')
  expect([(await say(quiet, 'no')).status, (await say(eager, 'yes')).status, (await say(eager, 'perhaps')).status]).toEqual([303, 303, 400])
  expect(await page(quiet)).toContain('They are not sent.')
  expect(await page(eager)).toContain('They are sent for all your keys.')
  await Promise.all([ask(quiet, 10), ask(eager, 9)])
  await settled(1)
  expect(mails()[0]?.to).toBe('eager@example.org')
  // The account's preference goes with it.
  await service.access.accounts.remove(quiet.account)
  await service.access.accounts.setUsageMails(quiet.account, true)
  expect(await service.access.accounts.usageMails(quiet.account)).toBeNull()
})
