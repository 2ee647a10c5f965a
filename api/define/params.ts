import type { CodeList } from '../../lake/schema/codes.ts'
import type { Json } from '../../lake/schema/columns.ts'
import type { JsonSchema } from '../../lake/schema/json.ts'
import { Refused } from './problems.ts'
import type { Slice } from './slice.ts'
import { nearest } from './suggest.ts'

/** The values that a parameter can have, where only the lake tells them. */
export interface KnownValues {
  /** Holds them under its empty key; none where they are not known yet, and then any value is taken. */
  readonly slice: Slice<ReadonlySet<string>>
  /** What is expected, as the refusal of another value says it. */
  readonly expected: string
  /** True where they are few enough for the refusal to list them. */
  readonly isListed: boolean
}

/** One parameter of a request: how its text becomes a value, and what documentation says of it. */
export interface Param<T = unknown> {
  readonly kind: 'param'
  readonly about: string
  /** Of the value as callers write it; of one element where the parameter is a list. */
  readonly schema: JsonSchema
  readonly required: boolean
  /** True where several values may be given, separated by commas or by repeating the parameter. */
  readonly list: boolean
  /** The value where the parameter is not given. */
  readonly fallback: T
  /** Text to value (of a list: of one element); throws `Refused`. */
  readonly parse: (text: string) => unknown
  /** A value as a caller may write it. */
  readonly example?: string
  /** Set where the answer also depends on the time of day: the clock is then read in steps of so many seconds. */
  readonly clock_s?: number
  /** Set where a value that nothing has is refused; of a parameter that is not in a group. */
  readonly known?: KnownValues
  /** Set on the begin of a period that may only be so many days wide, whatever else is asked for. */
  readonly widest_days?: number
  /** Never present: carries `T` for inference. */
  readonly '~type'?: T
}

/** Parameters that make one value together. */
export interface Group<T = unknown> {
  readonly kind: 'group'
  readonly members: Readonly<Record<string, Param>>
  /** Values of the members to the value of the group; throws `Refused` with the name of the parameter that is at fault. */
  readonly combine: (values: never) => T
  readonly '~type'?: T
}

/** The parameters of an endpoint: by their own name, or a group by the name that `read` sees. */
export type Params = { readonly [name: string]: Param | Group }

/** The values of parameters, as `read` gets them. They are JSON values, so that equal requests can be told. */
export type ValuesOf<P extends Params> = { readonly [K in keyof P]: P[K] extends { readonly '~type'?: infer T } ? T : never }

/** How a parameter is declared; see `Param`. */
export interface ParamSpec<T> {
  readonly about: string
  readonly schema: JsonSchema
  readonly parse: (text: string) => T
  readonly example?: string
  readonly clock_s?: number
}

/** Declares an optional parameter; its value is null where it is not given. */
export function param<T>(spec: ParamSpec<T>): Param<T | null> {
  return Object.freeze({ kind: 'param', required: false, list: false, fallback: null, ...spec })
}

/** The same parameter with a value for requests that do not give it. */
export function withDefault<T>(optional: Param<T | null>, fallback: T & Json): Param<T> {
  return Object.freeze({ ...optional, fallback, schema: { ...optional.schema, default: fallback } }) as Param<T>
}

/** The same parameter, without which the request is refused. */
export function required<T>(optional: Param<T | null>): Param<T> {
  return Object.freeze({ ...optional, required: true }) as Param<T>
}

/** The same parameter for several values at once; the value is null where none is given. */
export function listOf<T>(one: Param<T | null>): Param<readonly T[] | null> {
  return Object.freeze({ ...one, list: true }) as Param<readonly T[] | null>
}

/** The same parameter, with no other values than those that the lake has. */
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

/** The text, where it has at most `max` characters and no control characters; throws `Refused` for any other. */
export function plainText(text: string, max: number): string {
  if (text.length > max || /[\u0000-\u001f\u007f]/.test(text))
    throw new Refused(`expected a text of 1 to ${max} characters, none of them a control character`)
  return text
}

/** A number in [min, max], written in decimal digits with an optional point. */
export function numberParam(about: string, options: { min: number; max: number; unit?: string; example?: string }): Param<number | null> {
  const { min, max, unit, example } = options
  return param({
    about: unit ? `${about} Unit: ${unit}.` : about,
    schema: { type: 'number', minimum: min, maximum: max, ...(unit ? { 'x-unit': unit } : {}) },
    parse: (text) => {
      const value = /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/.test(text) ? Number(text) : Number.NaN
      if (!(value >= min && value <= max)) throw new Refused(`expected a number from ${min} to ${max}`)
      // Minus zero is zero: equal requests have to look equal.
      return value === 0 ? 0 : value
    },
    ...(example === undefined ? {} : { example }),
  })
}

/** A whole number in [min, max]; `expected` says so in other words where there is more to say. */
export function integerParam(
  about: string,
  options: { min: number; max: number; unit?: string; example?: string; expected?: string },
): Param<number | null> {
  const { min, max, unit, example, expected = `a whole number from ${min} to ${max}` } = options
  return param({
    about: unit ? `${about} Unit: ${unit}.` : about,
    schema: { type: 'integer', minimum: min, maximum: max, ...(unit ? { 'x-unit': unit } : {}) },
    parse: (text) => {
      const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      if (!(value >= min && value <= max)) throw new Refused(`expected ${expected}`)
      return value === 0 ? 0 : value
    },
    ...(example === undefined ? {} : { example }),
  })
}

/** True or false. */
export function booleanParam(about: string, options: { clock_s?: number } = {}): Param<boolean | null> {
  return param({
    about,
    schema: { type: 'boolean' },
    parse: (text) => {
      if (text !== 'true' && text !== 'false') throw new Refused('expected true or false', { allowed: ['true', 'false'] })
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

/** A code of a list; upper and lower case are the same. */
export function codeParam(about: string, list: CodeList, options: { example?: string } = {}): Param<string | null> {
  const codes = Object.keys(list.codes)
  return param({
    about: `${about} A code of the list ${list.id}.`,
    schema: { type: 'string', enum: codes },
    parse: (text) => chosen(text, codes),
    ...(options.example === undefined ? {} : { example: options.example }),
  })
}

/** The value that a text means, upper and lower case being the same; throws `Refused` with a suggestion and all values. */
export function chosen<const V extends string>(text: string, values: readonly V[]): V {
  const wanted = text.toLowerCase()
  const found = values.find((value) => value.toLowerCase() === wanted)
  if (found !== undefined) return found
  throw new Refused(`allowed: ${values.join(', ')}`, { allowed: values, near: () => nearest(text, values) })
}

/** As `chosen`, of a parameter whose values are only known while the service runs. */
export function chosenOf(parameter: string, text: string, values: readonly string[]): string {
  try {
    return chosen(text, values)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new Refused(error.message, { parameter, value: text, allowed: values, near: error.near })
  }
}
