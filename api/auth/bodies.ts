import type { FastifyInstance } from 'fastify'
import type { JsonSchema } from '../../lake/schema/json.ts'
import { shortened, ValidationErrors } from '../kernel/http/validation-errors.ts'
import { type ProblemError, problem } from '../kernel/problems.ts'
import { nearest } from '../kernel/reads/suggest.ts'

/** A member of a request's body. */
export interface BodyField<T> {
  /** The accepted values, as a refusal describes them. */
  readonly expected: string
  /** Returns the parsed value; undefined if it is refused. */
  readonly read: (value: unknown) => T | undefined
  /** Used if the member is absent; without a fallback the member is required. */
  readonly fallback?: T
  /** The accepted values, if they are a list. */
  readonly allowed?: readonly string[]
  /** True if a refusal must not repeat the value. */
  readonly isPrivate?: boolean
  /** Its JSON Schema, as the description of the API has it. */
  readonly schema?: JsonSchema
}

/** The members of a body, and their parsed values. */
export type BodyFields = Readonly<Record<string, BodyField<unknown>>>
export type BodyValues<F extends BodyFields> = { readonly [Name in keyof F]: F[Name] extends BodyField<infer T> ? T : never }

/** Lets the paths of a scope accept only forms; a body is then an object of texts. */
export function takeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
}

/**
 * Reads a request's body (undefined if it has none), or the object `at` a JSON pointer in it, by its members. Throws one problem
 * that names each wrong member, its value and what is allowed.
 */
export function readBody<F extends BodyFields>(body: unknown, fields: F, at = ''): BodyValues<F> {
  const given = body === undefined ? {} : body
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw problem('invalid-parameter', `${at === '' ? 'The body' : at} is not a JSON object.`, {
      errors: [{ pointer: at, detail: 'expected a JSON object' }],
    })
  const mistakes = new ValidationErrors()
  const names = Object.keys(fields)
  for (const name of Object.keys(given)) if (!Object.hasOwn(fields, name)) mistakes.add('unknown-parameter', unknownMember(at, name, names))
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = (given as Readonly<Record<string, unknown>>)[name]
    const isThere = value !== undefined && value !== null
    const read = isThere ? field.read(value) : field.fallback
    if (read === undefined) mistakes.add('invalid-parameter', wrongMember(at, name, field, isThere ? value : undefined))
    values[name] = read
  }
  mistakes.throwIfAny()
  return values as BodyValues<F>
}

/** The JSON Schema of a body with these members. */
export function bodySchema(fields: BodyFields): JsonSchema {
  const required = Object.entries(fields).flatMap(([name, { fallback }]) => (fallback === undefined ? [name] : []))
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema = {} }]) => [name, schema])),
  }
}

function unknownMember(at: string, name: string, names: readonly string[]): ProblemError {
  const near = nearest(name, names)
  const shown = shortened(name)
  return {
    pointer: `${at}/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    detail: `The body has no member ${shown}${near ? `; did you mean ${near}?` : '.'} Allowed: ${names.join(', ')}`,
    allowed: names,
  }
}

function wrongMember(at: string, name: string, field: BodyField<unknown>, value: unknown): ProblemError {
  const shown = value === undefined || field.isPrivate ? null : shortened(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return {
    pointer: `${at}/${name}`,
    detail: `${name}: expected ${field.expected}${value === undefined ? '; it is missing' : ''}${shown === null ? '' : `, got ${JSON.stringify(shown)}`}`,
    ...(shown === null ? {} : { value: shown }),
    ...(field.allowed ? { allowed: field.allowed } : {}),
  }
}
