import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { type Access, openAccess } from '../../../api/auth/access.ts'
import { readRecord } from '../../../api/auth/keys/key-records.ts'
import { newPepperText, parsePeppers } from '../../../api/auth/keys/pepper.ts'
import { commitSlot, readSlots, type Slot } from '../../../api/auth/keys/slots.ts'
import { openMailer } from '../../../api/auth/mail/mail.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'

test('the work that a killed process left undone is completed by the next start, also soon after another; of several at once by one', async () => {
  const folder = tempFolder()
  const server = await startTestRedis()
  const redis = openRedis(server.url)
  const files = await fileStore(join(folder, 'store'))
  let lists = 0
  const store: ObjectStore = {
    ...files,
    list: (prefix, options) => {
      if (prefix === 'accounts/') lists++
      return files.list(prefix, options)
    },
  }
  const peppers = parsePeppers(newPepperText())
  const log = pino({ level: 'silent' })
  const opened: Access[] = []
  const open = (): Access => {
    const mailer = openMailer({ smtpUrl: null, from: 'keys@example.org', outbox: join(folder, 'outbox'), log })
    const access = openAccess({ store, redisUrl: server.url, peppers, mailer, log })
    opened.push(access)
    return access
  }
  onTestFinished(async () => {
    for (const access of opened) await access.close()
    redis.disconnect()
    await server.stop()
  })
  const first = open()
  const { key, account } = await first.accounts.create({ email: 'ana@example.org', label: null, language: 'es' })
  await first.tidy()
  // A revocation whose process was killed before it could write its consequences.
  const [slot] = (await readSlots(store, account)) as [Slot]
  await commitSlot(
    store,
    slot,
    slot.keys.map((one) => ({ ...one, status: 'REVOKED' })),
  )
  const hash = slot.keys[0]?.hash as string
  expect((await readRecord(store, hash))?.status).toBe('ACTIVE')
  lists = 0
  // All three have asked before one of them may begin.
  await redis.set('access:tidy', 'of-another')
  await redis.config('RESETSTAT')
  const all = [open(), open(), open()].map((access) => access.tidy())
  await until('all to have asked', async () => Number(/cmdstat_time:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]) >= 3)
  await redis.del('access:tidy')
  await Promise.all(all)
  expect((await readRecord(store, hash))?.status).toBe('REVOKED')
  expect((await first.keys.lookUp(key)).refusal).toBe('revoked')
  expect(lists).toBe(1)
  expect(await redis.exists('access:tidy')).toBe(0)
})
