/** A server-sent event (WHATWG HTML §9.2). */
export interface ServerEvent {
  readonly event: string
  readonly id: string
  readonly data: string
}

/** Reads server-sent events; null for a block without an event, such as a comment that keeps the connection open. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent | null> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield eventOf(block)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function eventOf(block: string): ServerEvent | null {
  const fields = { event: '', id: '', data: '' }
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name === 'event' || name === 'id') fields[name] = value
    else if (name === 'data') fields.data += fields.data === '' ? value : `\n${value}`
  }
  return fields.event === '' && fields.id === '' ? null : fields
}
