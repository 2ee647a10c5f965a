import type { CodeList } from '../../../lake/schema/codes.ts'
import type { Json } from '../../../lake/schema/columns.ts'
import { DOUBLE, INT32, INT64, type JsonSchema } from '../../../lake/schema/json.ts'
import { InvalidParam } from '../problems.ts'
import type { CachedQuery } from '../reads/cached-query.ts'
import { nearest } from '../reads/suggest.ts'

/** Values of a parameter that only the lake knows. */
export interface KnownValues {
  /** Supplies them under its empty key; empty while they are unknown, and then any value is accepted. */
  readonly query: CachedQuery<ReadonlySet<string>>
  /** Description of valid values, for the error. */
  readonly expected: string
  /** True if they are few enough for the error to list them. */
  readonly isListed: boolean
}

/** One parameter of a request: how its text becomes a value, and its documentation. */
export interface Param<T = unknown> {
  readonly kind: 'param'
  readonly about: string
  /** Schema of the value as callers write it; for a list, of one element. */
  readonly schema: JsonSchema
  readonly required: boolean
  /** True if it accepts several values, separated by commas or by repeating the parameter. */
  readonly list: boolean
  /** The default value. */
  readonly fallback: T
  /** Text to value (for a list: of one element). Throws `InvalidParam`. */
  readonly parse: (text: string) => unknown
  /** An example as a caller may write it. */
  readonly example?: string
  /** Set if the reply also depends on the time of day: the clock is then read in steps of this many seconds. */
  readonly clockGranularity_s?: number
  /** Set if values that no record has are rejected; not for members of a group. */
  readonly known?: KnownValues
  /** Set on the begin of a period with this maximum width in days. */
  readonly widest_days?: number
  /** Never present: carries `T` for inference. */
  readonly '~type'?: T
}

/** Parameters that together make one value. */
export interface Group<T = unknown> {
  readonly kind: 'group'
  readonly members: Readonly<Record<string, Param>>
  /** Combines the members' values. Throws `InvalidParam` with the name of the invalid parameter. */
  readonly combine: (values: never) => T
  readonly '~type'?: T
}

/** The parameters of an endpoint by name; a group has the name that `read` uses. */
export type Params = { readonly [name: string]: Param | Group }

/** Values of parameters, as `read` receives them: JSON values, so that equal requests can be recognised. */
export type ValuesOf<P extends Params> = { readonly [K in keyof P]: P[K] extends { readonly '~type'?: infer T } ? T : never }

/** Declaration of a parameter; see `Param`. */
export interface ParamSpec<T> {
  readonly about: string
  readonly schema: JsonSchema
  readonly parse: (text: string) => T
  readonly example?: string
  readonly clockGranularity_s?: number
}

/** Declares an optional parameter; its value is null if not given. */
export function param<T>(spec: ParamSpec<T>): Param<T | null> {
  return Object.freeze({ kind: 'param', required: false, list: false, fallback: null, ...spec })
}

/** The same parameter with a default value. */
export function withDefault<T>(optional: Param<T | null>, fallback: T & Json): Param<T> {
  return Object.freeze({ ...optional, fallback, schema: { ...optional.schema, default: fallback } }) as Param<T>
}

/** The same parameter, required. */
export function required<T>(optional: Param<T | null>): Param<T> {
  return Object.freeze({ ...optional, required: true }) as Param<T>
}

/** The same parameter with several values; null if not given. */
export function listOf<T>(one: Param<T | null>): Param<readonly T[] | null> {
  return Object.freeze({ ...one, list: true }) as Param<readonly T[] | null>
}

/** The same parameter, limited to values in the lake. */
export function knownBy<T>(one: Param<T>, known: KnownValues): Param<T> {
  return Object.freeze({ ...one, known })
}

/** Declares a group. */
export function group<const M extends Readonly<Record<string, Param>>, T>(members: M, combine: (values: ValuesOf<M>) => T): Group<T> {
  return Object.freeze({ kind: 'group', members: Object.freeze(members), combine }) as Group<T>
}

/** A text of 1 to `max` characters without control characters. */
export function textParam(about: string, options: { max?: number; example?: string } = {}): Param<string | null> {
  const max = options.max ?? 100
  return param({
    about,
    schema: { type: 'string', minLength: 1, maxLength: max },
    parse: (text) => plainText(text, max),
    ...(options.example === undefined ? {} : { example: options.example }),
  })
}

/** Returns the text if it has at most `max` characters and no control characters. Throws `InvalidParam` otherwise. */
export function plainText(text: string, max: number): string {
  if (text.length > max || /[\u0000-\u001f\u007f]/.test(text))
    throw new InvalidParam(`expected a text of 1 to ${max} characters without control characters`)
  return text
}

/** Decimal digits with an optional point and exponent: programs write small numbers as `5e-05`. */
const NUMBER = /^[+-]?(\d{1,15}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,3})?$/i

/** A number in [min, max], as JSON or a person writes it. */
export function numberParam(about: string, options: { min: number; max: number; unit?: string; example?: string }): Param<number | null> {
  const { min, max, unit, example } = options
  return param({
    about: unit ? `${about} Unit: ${unit}.` : about,
    schema: { ...DOUBLE, minimum: min, maximum: max, ...(unit ? { 'x-unit': unit } : {}) },
    parse: (text) => {
      const value = NUMBER.test(text) ? Number(text) : Number.NaN
      if (!(value >= min && value <= max)) throw new InvalidParam(`expected a number from ${min} to ${max}`)
      // Minus zero becomes zero: equal requests must look equal.
      return value === 0 ? 0 : value
    },
    ...(example === undefined ? {} : { example }),
  })
}

const MAX_INT32 = 2 ** 31 - 1

/** A whole number in [min, max]; `expected` can replace the error text. */
export function integerParam(
  about: string,
  options: { min: number; max: number; unit?: string; example?: string; expected?: string },
): Param<number | null> {
  const { min, max, unit, example, expected = `a whole number from ${min} to ${max}` } = options
  return param({
    about: unit ? `${about} Unit: ${unit}.` : about,
    schema: { ...(max > MAX_INT32 ? INT64 : INT32), minimum: min, maximum: max, ...(unit ? { 'x-unit': unit } : {}) },
    parse: (text) => {
      const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      if (!(value >= min && value <= max)) throw new InvalidParam(`expected ${expected}`)
      return value === 0 ? 0 : value
    },
    ...(example === undefined ? {} : { example }),
  })
}

/** True or false. */
export function booleanParam(about: string, options: { clockGranularity_s?: number } = {}): Param<boolean | null> {
  return param({
    about,
    schema: { type: 'boolean' },
    parse: (text) => {
      if (text !== 'true' && text !== 'false') throw new InvalidParam('expected true or false', { allowed: ['true', 'false'] })
      return text === 'true'
    },
    ...options,
  })
}

/** One of a few values. */
export function oneOf<const V extends string>(about: string, values: readonly V[], options: { example?: V } = {}): Param<V | null> {
  return param({
    about,
    schema: { type: 'string', enum: values },
    parse: (text) => chosen(text, values),
    ...(options.example === undefined ? {} : { example: options.example }),
  })
}

/** A code of a list; case is ignored. */
export function codeParam(about: string, list: CodeList, options: { example?: string } = {}): Param<string | null> {
  const codes = Object.keys(list.codes)
  return param({
    about: `${about} A code of the list ${list.id}.`,
    schema: { type: 'string', enum: codes },
    parse: (text) => chosen(text, codes),
    ...(options.example === undefined ? {} : { example: options.example }),
  })
}

/** The value that matches a text, ignoring case. Throws `InvalidParam` with a suggestion and all values. */
export function chosen<const V extends string>(text: string, values: readonly V[]): V {
  const wanted = text.toLowerCase()
  const found = values.find((value) => value.toLowerCase() === wanted)
  if (found !== undefined) return found
  throw new InvalidParam(`allowed: ${values.join(', ')}`, { allowed: values, near: () => nearest(text, values) })
}

/** As `chosen`, for a parameter whose values are only known at run time; null if it is not given. */
export function chosenOf(parameter: string, text: string | null, values: readonly string[]): string | null {
  if (text === null) return null
  try {
    return chosen(text, values)
  } catch (error) {
    if (!(error instanceof InvalidParam)) throw error
    throw new InvalidParam(error.message, { parameter, value: text, allowed: values, near: error.near })
  }
}
