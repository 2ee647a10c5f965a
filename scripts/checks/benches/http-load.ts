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

/** How a reply is fetched. */
interface Fetching {
  readonly agent: Agent | false
  readonly key: string
}

/** The text of a reply. Throws if the status is not 200. */
export async function fetchText(url: string, how: Fetching): Promise<string> {
  return String(await fetchBytes(url, how))
}

/** The body of a reply. Throws if the status is not 200. */
export function fetchBytes(url: string, { agent, key }: Fetching): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'X-API-Key': key } }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const body = Buffer.concat(parts)
        if (response.statusCode === 200) resolve(body)
        else reject(new Error(`${url} returned ${response.statusCode}: ${body.toString('utf8', 0, 300)}`))
      })
    }).on('error', reject)
  })
}
