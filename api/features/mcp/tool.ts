import { z } from 'zod'
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

/** A kind of record: an endpoint, and how a tool shows its records. */
export type RecordKind = Omit<ToolRequest, 'query'> & Partial<Pick<ToolRequest, 'query'>>

/** Returns a request for records of a kind, whose own parameters are always sent. */
export function ask(kind: RecordKind, query: ToolRequest['query']): ToolRequest {
  return { ...kind, query: { ...query, ...kind.query } }
}

/** Maximum number of records per call. */
const MAX_ITEMS = 50

/** Inputs of every tool, which `defineTool` adds to its own. */
const commonInput = {
  lang: z.enum(['es', 'en']).optional().describe('Language of texts; es by default.'),
  detail: z.enum(['concise', 'full']).optional().describe('full: every field.'),
  limit: z.int().min(1).max(MAX_ITEMS).optional().describe('Records of each kind; 10 by default.'),
  cursor: z.string().max(2000).optional().describe('next_cursor of the answer before.'),
}

/** Their values. */
export type CommonInput = Readonly<z.infer<z.ZodObject<typeof commonInput>>>

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
  /** Its own inputs, besides those of every tool. */
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

/** Declares a tool; the types of its input follow from its shape, to which the inputs of every tool are added. */
export function defineTool<const I extends z.ZodRawShape>(tool: Tool<I>): Tool {
  return Object.freeze({ ...tool, input: { ...tool.input, ...commonInput } }) as unknown as Tool
}
