import { type Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
/** Longest head of an answer, bytes. */
const MAX_HEAD = 8192
/** Bytes that a connection reads at once into its own buffer: a large answer causes few events and no garbage. */
const READ_BYTES = 2 ** 20

/** A GET request as bytes on the wire. */
export function requestBytes(url: string, headers: Readonly<Record<string, string>>): Buffer {
  const { hostname, pathname, search } = new URL(url)
  const lines = Object.entries({ Host: hostname, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`)
}

/** One connection that stays open. */
export interface Lane {
  /** Sends a request, waits for the whole answer and returns the bytes of its body. Throws if it has another status. */
  ask(request: Buffer, status: number): Promise<number>
  end(): void
}

/** Opens a connection to the server of a URL. */
export async function openLane(url: string): Promise<Lane> {
  const { hostname, port } = new URL(url)
  let expected = ''
  let missing = -1
  let body = 0
  let done: PromiseWithResolvers<number> | null = null
  const finish = (error?: Error): void => {
    const waiting = done
    done = null
    missing = -1
    if (error) waiting?.reject(error)
    else waiting?.resolve(body)
  }
  const take = (part: Uint8Array): void => {
    if (missing === -1) {
      const bytes = Buffer.from(part.buffer, part.byteOffset, Math.min(part.length, MAX_HEAD))
      const end = bytes.indexOf(HEAD_END)
      const head = bytes.toString('latin1', 0, end)
      if (end === -1 || !head.startsWith(expected)) return finish(new Error(`expected ${expected}, got ${head.slice(0, 100)}`))
      const length = /content-length: (\d+)/i.exec(head)
      body = length ? Number(length[1]) : 0
      missing = body - (part.length - end - HEAD_END.length)
    } else missing -= part.length
    if (missing <= 0) finish()
  }
  const socket = await new Promise<Socket>((resolve, reject) => {
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback: (count: number, into: Uint8Array) => (take(into.subarray(0, count)), true),
    }
    const opened = connect({ port: Number(port), host: hostname, noDelay: true, onread }, () => resolve(opened)).on('error', reject)
  })
  socket.on('error', finish)
  socket.on('close', () => finish(new Error('the server ended the connection')))
  return {
    ask(request, status) {
      expected = `HTTP/1.1 ${status} `
      done = Promise.withResolvers()
      socket.write(request)
      return done.promise
    },
    end: () => {
      socket.removeAllListeners('close')
      socket.destroy()
    },
  }
}

/** A reply as it was sent: its headers, and its body still compressed. */
export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Fetches a reply as it is sent, over a connection of its own or over those of an agent. */
export function fetchRaw(url: string, headers: Readonly<Record<string, string>>, agent: Agent | false = false): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const { rawHeaders: raw, statusCode: status = 0 } = response
        const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] as string]] : []))
        resolve({ status, headers: Object.fromEntries(pairs), body: Buffer.concat(parts) })
      })
    }).on('error', reject)
  })
}

/** The text of a reply. Throws if the status is not 200. */
export async function fetchText(url: string, { key, agent }: { readonly key: string; readonly agent?: Agent }): Promise<string> {
  const { status, body } = await fetchRaw(url, { 'X-API-Key': key }, agent)
  if (status !== 200) throw new Error(`${url} returned ${status}: ${body.toString('utf8', 0, 300)}`)
  return body.toString()
}
