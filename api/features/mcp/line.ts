import type { RecordKind, ReplyRecord } from './tool.ts'

/**
 * A part of a line: a function, or a template. In a template, `{name}` is a member with a value, `{one/other}` the first of two
 * that has one, `{name|text}` a text in its place, `«{name}»` a publisher's text and `{place}` the record's place. What is in
 * brackets, and else the whole part, is left out if a member in it has no value.
 */
export type LinePart = string | ((record: ReplyRecord) => string | null)

const MEMBER = /\[([^\]]*)\]|(«?)\{([\w./]+)(?:\|([^}]*))?\}»?/g
const PLACE = ['road', 'km', 'municipality', 'province']

/**
 * A kind of record of a path, whose concise answers have the members that its line shows and `also` others. The first part of a
 * line is never left out: a value that it misses is `unknown`.
 */
export function recordKind(
  kind: string,
  path: string,
  { also = [], ...options }: Omit<RecordKind, 'kind' | 'path' | 'fields' | 'line'> & { readonly also?: readonly string[] },
  line: readonly LinePart[],
): RecordKind {
  const shown = line.filter((part) => typeof part === 'string').flatMap(membersOf)
  const [lead, ...rest] = line
  const first: LinePart = typeof lead === 'string' ? (record) => filled(record, lead, 'unknown') : (lead as LinePart)
  return { kind, path, ...options, fields: [...new Set([...also, ...shown])], line: (record) => lineOf(record, [first, ...rest]) }
}

/** Returns the members that a template reads. */
function membersOf(template: string): string[] {
  return [...template.matchAll(MEMBER)].flatMap(([, optional, , names = '']) => {
    if (optional !== undefined) return membersOf(optional)
    return names === 'place' ? PLACE : names.split('/').map((name) => name.split('.')[0] as string)
  })
}

/** Joins the parts of a line that have something to say by commas. */
export function lineOf(record: ReplyRecord, parts: readonly LinePart[]): string {
  const texts = parts.map((part) => (typeof part === 'string' ? filled(record, part) : part(record)))
  return texts.filter((text) => text !== null && text !== '').join(', ')
}

/** Fills a template with the values of a record; null if one is missing and has no text in its place. */
export function filled(record: ReplyRecord, template: string, otherwise?: string): string | null {
  let isWhole = true
  const text = template.replaceAll(MEMBER, (_, optional?: string, mark = '', names = '', instead?: string) => {
    if (optional !== undefined) return filled(record, optional) ?? ''
    const values = names === 'place' ? [placeOf(record)] : names.split('/').map((name: string) => textOf(record, name))
    const value: string | undefined = values.find((one: string | null) => one !== null) ?? instead ?? otherwise
    if (value === undefined) isWhole = false
    return mark && value !== undefined ? quoted(value) : (value ?? '')
  })
  return isWhole ? text : null
}

/** Returns the text of a member, or of a member of an object (`object.name`); null without a value. */
function textOf(record: ReplyRecord, path: string): string | null {
  const value = path.split('.').reduce<unknown>((one, name) => (one as ReplyRecord | null | undefined)?.[name], record)
  if (value === null || value === undefined || value === '') return null
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ')
  return String(value)
}

/** Longest text of a publisher, in characters. */
const MAX_QUOTED = 200

/** Returns a publisher's text in quotation marks that separate it from our words. */
function quoted(text: string): string {
  const plain = text.replace(/[«»\s]+/g, ' ').trim()
  return `«${plain.length > MAX_QUOTED ? `${plain.slice(0, MAX_QUOTED - 1)}…` : plain}»`
}

/** Returns the place of a record: road and km, municipality, province, as available. */
export function placeOf(record: ReplyRecord): string {
  const { municipality, province } = record
  return lineOf(record, ['{road}[ km {km}]', '{municipality}', ...(province === municipality ? [] : ['{province}'])])
}
