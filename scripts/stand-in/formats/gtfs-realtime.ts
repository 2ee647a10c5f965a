import bindings from 'gtfs-realtime-bindings'

/** A value of canonical JSON. */
type Json = string | number | readonly Json[] | { readonly [name: string]: Json | undefined }
/** An entity in the canonical JSON of its message; 64-bit integers are text, undefined members are absent. */
export type EntityJson = { readonly id: string; readonly [name: string]: Json | undefined }

const { FeedMessage } = bindings.transit_realtime

/** A publication in Renfe's format, as JSON or protobuf: version 2.0, no incrementality. `publishedAt` in ms. */
export function gtfsRealtime(entities: readonly EntityJson[], form: string, publishedAt: number): string | Buffer {
  const header = { gtfsRealtimeVersion: '2.0', timestamp: seconds(publishedAt) }
  const message = { header, entity: entities }
  if (form === 'json') return written(message, '')
  return Buffer.from(FeedMessage.encode(FeedMessage.fromObject(JSON.parse(JSON.stringify(message)) as object)).finish())
}

/** Seconds since the epoch as text, from ms. */
export function seconds(instant: number): string {
  return String(Math.floor(instant / 1000))
}

/** Indented by two blanks, the braces of a list's objects on the list's lines, no line end at the end. */
function written(value: Json, indent: string): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map((item) => written(item, indent)).join(', ')}]`
  const inner = `${indent}  `
  const members = Object.entries(value).flatMap(([name, item]) =>
    item === undefined ? [] : [`${inner}"${name}": ${written(item, inner)}`],
  )
  return `{\n${members.join(',\n')}\n${indent}}`
}
