import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received message. */
export interface Received {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly at: number
}

/** A receiver of webhooks that a test controls. */
export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Its answer; null leaves requests open. */
  answer: (message: Received) => number | null | { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  close(): Promise<void>
}

/** Starts a receiver on this machine. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => {
      const message = { id: String(request.headers['webhook-id']), headers: request.headers, body, at: Date.now() }
      received.push(message)
      const reply = receiver.answer(message)
      if (reply === null) return
      const { status, headers } = typeof reply === 'number' ? { status: reply, headers: {} } : reply
      response.writeHead(status, headers).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: () => 204,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return receiver
}
