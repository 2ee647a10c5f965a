import { createServer, type Socket } from 'node:net'

/** A mail as a server received it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly data: string
}

/** An SMTP server for tests (RFC 5321, no extensions). */
export interface TestSmtp {
  readonly url: string
  readonly mails: ReceivedMail[]
  /** Replies to the next recipients in place of 250, first to last. */
  readonly refusals: string[]
  stop(): Promise<void>
}

/** Starts an SMTP server on a free loopback port. */
export async function startSmtp(): Promise<TestSmtp> {
  const mails: ReceivedMail[] = []
  const refusals: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    let [from, to, data, rest] = ['', [] as string[], null as string[] | null, '']
    const say = (line: string): void => void socket.write(`${line}\r\n`)
    const take = (line: string): void => {
      const [, address = ''] = /<([^>]*)>/.exec(line) ?? []
      if (data !== null) {
        if (line !== '.') return void data.push(line.replace(/^\./, ''))
        mails.push({ from, to, data: data.join('\r\n') })
        data = null
        return say('250 taken')
      }
      if (/^(EHLO|HELO)/i.test(line)) return say('250 test')
      if (/^MAIL FROM/i.test(line)) {
        from = address
        to = []
        return say('250 ok')
      }
      if (/^RCPT TO/i.test(line)) {
        const refusal = refusals.shift()
        if (refusal === undefined) to.push(address)
        return say(refusal ?? '250 ok')
      }
      if (/^DATA/i.test(line)) {
        data = []
        return say('354 go on')
      }
      if (/^QUIT/i.test(line)) return void socket.end('221 bye\r\n')
      say(/^RSET/i.test(line) ? '250 ok' : '502 what')
    }
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line)
    })
    say('220 test')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    refusals,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The text of a mail's body, decoded from quoted-printable or base64. */
export function bodyOf(data: string): string {
  const end = data.indexOf('\r\n\r\n')
  const [head, body] = [data.slice(0, end), data.slice(end + 4)]
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return body
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
