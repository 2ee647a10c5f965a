import { connect } from 'node:net'

/** The reply of a server over one connection: the head as text, the body as bytes. */
export interface RawReply {
  readonly head: string
  readonly body: Buffer
}

/** Sends bytes unchanged and returns the reply until the server ends the connection; rejects after 10 s. */
export function raw(url: string, text: string): Promise<RawReply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no end of the reply to ${text.slice(0, 60)}`)))
    socket.on('data', (part) => parts.push(part))
    socket.on('end', () => {
      socket.destroy()
      resolve(split(Buffer.concat(parts)))
    })
    socket.on('error', reject)
  })
}

/** The value of a header in a head, whatever its case; null without the header. */
export function headerOf(head: string, name: string): string | null {
  const line = head.split('\r\n').find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`))
  return line === undefined ? null : line.slice(name.length + 1).trim()
}

function split(bytes: Buffer): RawReply {
  const end = bytes.indexOf('\r\n\r\n')
  return end === -1
    ? { head: bytes.toString('latin1'), body: Buffer.alloc(0) }
    : { head: bytes.toString('latin1', 0, end), body: bytes.subarray(end + 4) }
}
