/** A message of a stream of server-sent events. */
export interface StreamMessage {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

/** A stream in a test. */
export interface ReadStream {
  readonly response: Response
  /** Messages so far, without those that only contain an id. */
  readonly messages: StreamMessage[]
  /** The id of the last message or heartbeat. */
  lastId(): string | null
  readonly comments: string[]
  readonly isOver: () => boolean
  close(): Promise<void>
}

/** Opens a stream and reads it until it is closed. */
export async function readStream(url: string, headers: Readonly<Record<string, string>>): Promise<ReadStream> {
  const stop = new AbortController()
  const response = await fetch(url, { headers, signal: stop.signal })
  const messages: StreamMessage[] = []
  const comments: string[] = []
  let last: string | null = null
  let isOver = false
  const take = (block: string): void => {
    let event = 'message'
    let data: string | null = null
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) comments.push(line)
      if (line.startsWith('id: ')) last = line.slice(4)
      if (line.startsWith('event: ')) event = line.slice(7)
      if (line.startsWith('data: ')) data = line.slice(6)
    }
    if (data !== null) messages.push({ id: last, event, data })
  }
  const read = async (): Promise<void> => {
    let text = ''
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        take(text.slice(0, end))
        text = text.slice(end + 2)
      }
    }
  }
  const done = read()
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  const close = async (): Promise<void> => {
    stop.abort()
    await done
  }
  return { response, messages, comments, lastId: () => last, isOver: () => isOver, close }
}
