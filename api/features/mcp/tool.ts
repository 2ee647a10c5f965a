import type { z } from 'zod'
import type { Plan } from '../../../lake/schema/dataset.ts'

/** A value of a query parameter; undefined parameters are not sent. */
type QueryValue = string | number | boolean | readonly string[] | undefined

/** A record of a reply, as JSON. */
export type ReplyRecord = Readonly<Record<string, unknown>>

/** One request of a tool, and how its records are shown. */
export interface ToolRequest {
  /** Kind of a record, such as `incident`. */
  readonly kind: string
  /** Path of the endpoint as declared, with `{name}` for the values of `inPath`. */
  readonly path: string
  readonly inPath?: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, QueryValue>>
  /** Members of a concise answer; a full one has all. */
  readonly fields: readonly string[]
  /** One line about a record, with units. */
  readonly line: (record: ReplyRecord) => string
  /** Time zone of records that do not state their place; by default that of the record. */
  readonly zone?: string | null
  /** False for a record without a value, which answers leave out. */
  readonly isSaid?: (record: ReplyRecord) => boolean
  /** False if the endpoint has no parameter `limit`. */
  readonly takesLimit?: boolean
}

/** Input shared by all tools. */
export interface CommonInput {
  readonly lang?: 'es' | 'en' | undefined
  readonly detail?: 'concise' | 'full' | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Finds records that a tool needs to build its requests, such as a station by its name. */
export type LookUp = (path: string, query: Readonly<Record<string, QueryValue>>) => Promise<readonly ReplyRecord[]>

/** A tool: a typical question, and the requests that answer it. */
export interface Tool<I extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string
  readonly title: string
  /** Description for the assistant that selects a tool. */
  readonly description: string
  /** The lowest plan with an answer. */
  readonly plan: Plan
  /** The closest tool of a lower plan, if any. */
  readonly instead?: string
  readonly input: I
  /** The requests for an input. Throws `Misuse` for an input that cannot be answered. */
  readonly requests: (
    input: z.infer<z.ZodObject<I>>,
    lookUp: LookUp,
    /** The time of the call, ms. */
    now: number,
  ) => readonly ToolRequest[] | Promise<readonly ToolRequest[]>
}

/** An input that a tool cannot answer; the message says what to do instead. */
export class Misuse extends Error {}

/** Declares a tool; the types of its input follow from its shape. */
export function defineTool<const I extends z.ZodRawShape>(tool: Tool<I>): Tool {
  return Object.freeze(tool) as unknown as Tool
}

/** Joins the parts of a line that are present by commas. */
export function phrase(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ')
}

/** A number or text of a record followed by a unit; null without a value. */
export function amount(record: ReplyRecord, name: string, unit = ''): string | null {
  const value = record[name]
  return value === null || value === undefined ? null : `${String(value)}${unit === '' ? '' : ` ${unit}`}`
}

/** The same with words before it. */
export function labelled(label: string, record: ReplyRecord, name: string, unit = ''): string | null {
  const text = amount(record, name, unit)
  return text === null ? null : `${label} ${text}`
}

/** A publisher's text in quotation marks that separate it from our words; null if empty. */
export function quoted(record: ReplyRecord, name: string, max = 200): string | null {
  const value = record[name]
  if (typeof value !== 'string' || value === '') return null
  const plain = value.replace(/[«»\s]+/g, ' ').trim()
  return `«${plain.length > max ? `${plain.slice(0, max - 1)}…` : plain}»`
}

/** The place of a record: road and km, municipality, province, as available. */
export function place(record: ReplyRecord): string {
  const { road, km, municipality, province } = record
  const onRoad = typeof road === 'string' ? `${road}${km === null || km === undefined ? '' : ` km ${String(km)}`}` : null
  return phrase(onRoad, municipality as string | null, province === municipality ? null : (province as string | null))
}
