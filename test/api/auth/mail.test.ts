import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAccess } from '../../../api/auth/access.ts'
import { newPepperText, parsePeppers } from '../../../api/auth/keys/pepper.ts'
import { type Mailer, openMailer } from '../../../api/auth/mail/mail.ts'
import { linkMail, type MailReason } from '../../../api/auth/mail/mail-texts.ts'
import { LANGUAGES } from '../../../api/kernel/language.ts'
import { StoreError } from '../../../lake/store/errors.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { serviceLog } from '../../../scripts/service/store.ts'
import { bodyOf, startSmtp, type TestSmtp } from '../../helpers/smtp.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'

const TO = 'ana.garcia@example.org'
const MAIL = { to: TO, subject: 'Sus claves: ñ', text: 'Una línea.\n\nOtra, más larga: https://example.org/account?token=tim_x' }

interface Opened {
  readonly mailer: Mailer
  readonly outbox: string
  readonly lines: string[]
}

function open(smtpUrl: string | null, waits_ms: readonly number[] = [20, 20]): Opened {
  const lines: string[] = []
  const outbox = join(tempFolder(), 'outbox')
  const log = serviceLog({ logLevel: 'trace' }, 'test', { write: (line) => void lines.push(line) })
  const mailer = openMailer({ smtpUrl, from: 'Tráfico <keys@example.org>', outbox, log, waits_ms })
  onTestFinished(() => mailer.close())
  return { mailer, outbox, lines }
}

async function server(): Promise<TestSmtp> {
  const smtp = await startSmtp()
  onTestFinished(() => smtp.stop())
  return smtp
}

test('a mail arrives at the server, to one person, with its letters', async () => {
  const smtp = await server()
  const { mailer, lines } = open(smtp.url)
  expect(mailer.isSmtp).toBe(true)
  mailer.send(MAIL)
  await until('arrived', () => smtp.mails.length === 1)
  const [{ from, to, data }] = smtp.mails as [TestSmtp['mails'][number]]
  expect([from, to]).toEqual(['keys@example.org', [TO]])
  expect(data).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(data).toMatch(/^To: ana\.garcia@example\.org\r$/m)
  expect(bodyOf(data).replaceAll('\r\n', '\n').trim()).toBe(MAIL.text)
  expect(lines).toEqual([])
})

test('a mail that the server cannot take now is sent again, one that it refuses is not; neither is logged with its address', async () => {
  const smtp = await server()
  const { mailer, lines } = open(smtp.url)
  smtp.refusals.push(`451 try ${TO} later`)
  mailer.send(MAIL)
  await until('arrived', () => smtp.mails.length === 1)
  smtp.refusals.push(`550 there is no ${TO} here`)
  mailer.send(MAIL)
  await until('reported', () => lines.length === 2)
  await mailer.close()
  expect(smtp.mails).toHaveLength(1)
  expect(lines.map((line) => JSON.parse(line).responseCode)).toEqual([451, 550])
  expect(lines.join()).not.toMatch(/ana|garcia|claves/)
})

test('a server that is not there is tried three times', async () => {
  const smtp = await startSmtp()
  await smtp.stop()
  const { mailer, lines } = open(smtp.url)
  mailer.send(MAIL)
  await until('given up', () => lines.length === 3)
  await mailer.close()
  expect(lines.map((line) => JSON.parse(line).tries)).toEqual([1, 2, 3])
})

test('without a server mails are files for their owner only, and the log says where', async () => {
  const { mailer, outbox, lines } = open(null)
  expect(mailer.isSmtp).toBe(false)
  mailer.send(MAIL)
  mailer.send(MAIL)
  await mailer.close()
  const names = readdirSync(outbox)
  expect(names).toHaveLength(2)
  for (const name of names) {
    const path = join(outbox, name)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const text = readFileSync(path, 'utf8')
    expect(text).toMatch(/^To: ana\.garcia@example\.org\r$/m)
    expect(bodyOf(text).replaceAll('\r\n', '\n').trim()).toBe(MAIL.text)
    expect(lines.join()).toContain(path)
  }
  expect(lines.join()).not.toMatch(/ana|garcia|tim_x/)
})

test('a link that cannot be mailed as the store is away harms nothing but the log, which has no address', async () => {
  const { mailer, outbox, lines } = open(null)
  const store: ObjectStore = {
    ...(await fileStore(join(tempFolder(), 'store'))),
    get: async () => Promise.reject(new StoreError('the disk is gone', { code: 'EIO' })),
  }
  const log = serviceLog({ logLevel: 'trace' }, 'test', { write: (line) => void lines.push(line) })
  const access = openAccess({ store, redisUrl: '/nowhere/redis.sock', peppers: parsePeppers(newPepperText()), mailer, log })
  await access.mailLink({ reason: 'key-made', email: TO, account: 'a'.repeat(64), language: 'es', page: 'https://example.org/account' })
  await access.close()
  await mailer.close()
  expect(existsSync(outbox)).toBe(false)
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ msg: 'link not mailed', reason: 'key-made' })])
  expect(lines.join()).not.toMatch(/ana|garcia/)
})

test.each(LANGUAGES)('every mail in %s states its purpose, has the link once, and no key', (language) => {
  const link = 'https://example.org/account?token=tim_abc'
  const reasons: readonly MailReason[] = ['key-made', 'limit-reached', 'manage']
  const texts = reasons.map((reason) => linkMail(reason, { language, link, until_days: 7 }))
  for (const { subject, text } of texts) {
    expect(subject).not.toMatch(/[\r\n]/)
    expect(text.split(link)).toHaveLength(2)
    expect(text).toMatch(/30 minut/)
    expect(text).toMatch(/7 (days|días)/)
  }
  expect(new Set(texts.map(({ text }) => text)).size).toBe(reasons.length)
  expect(linkMail('manage', { language, link, until_days: null }).text).not.toMatch(/ (days|días) /)
})
