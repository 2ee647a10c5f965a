import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { createTransport, type Transporter } from 'nodemailer'

/** A mail to one person. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mails in the background. */
export interface Mailer {
  /** True if mails are really sent. */
  readonly isSmtp: boolean
  /**
   * Sends a mail in the background, with two retries if the server does not accept it. Failures are logged without the address.
   */
  send(mail: Mail): void
  /** Settles once nothing is under way; pending retries are given up. */
  close(): Promise<void>
}

/** How mails are sent. */
export interface MailOptions {
  /** `smtp://…` or `smtps://…`; null writes them to a folder. */
  readonly smtpUrl: string | null
  readonly from: string
  /** Folder that mails are written to if there is no server. */
  readonly outbox: string
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Waits before the second and the third attempt, ms. */
  readonly waits_ms?: readonly number[]
}

const TIMEOUT_MS = 15_000
const WAITS_MS = [5000, 60_000]

/** Opens the mailer. */
export function openMailer({ smtpUrl, from, outbox, log, waits_ms = WAITS_MS }: MailOptions): Mailer {
  const stop = new AbortController()
  const underWay = new Set<Promise<void>>()
  const safe = { disableFileAccess: true, disableUrlAccess: true }
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  const transport: Transporter =
    smtpUrl === null
      ? createTransport({ ...safe, streamTransport: true, buffer: true, newline: 'windows' })
      : createTransport({ ...safe, ...timeouts, url: smtpUrl })

  const deliver = async ({ to, subject, text }: Mail): Promise<void> => {
    const sent: { message?: unknown } = await transport.sendMail({
      from,
      to: { name: '', address: to },
      subject,
      text,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    if (smtpUrl !== null) return
    await mkdir(outbox, { recursive: true, mode: 0o700 })
    const path = join(outbox, `${new Date().toISOString().replaceAll(':', '')}-${randomUUID().slice(0, 8)}.eml`)
    // Written under another name first, so that readers of the folder find only whole mails.
    await writeFile(`${path}.part`, sent.message as Buffer, { mode: 0o600 })
    await rename(`${path}.part`, path)
    log.info({ path }, 'mail written to the outbox, as SMTP_URL is not set')
  }

  const sendPatiently = async (mail: Mail): Promise<void> => {
    for (let tries = 0; ; tries++) {
      try {
        return await deliver(mail)
      } catch (error) {
        const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string }
        // A server's text may repeat the address; its codes do not. 5xx is final.
        log.warn({ code, responseCode, command, tries: tries + 1 }, 'mail not sent')
        const wait_ms = waits_ms[tries]
        if (wait_ms === undefined || (responseCode !== undefined && responseCode >= 500) || stop.signal.aborted) return
        const waited = await sleep(wait_ms, true, { signal: stop.signal, ref: false }).catch(() => false)
        if (!waited) return
      }
    }
  }

  return {
    isSmtp: smtpUrl !== null,
    send: (mail) => {
      const sending: Promise<void> = sendPatiently(mail).finally(() => underWay.delete(sending))
      underWay.add(sending)
    },
    close: async () => {
      stop.abort()
      await Promise.all(underWay)
      transport.close()
    },
  }
}
