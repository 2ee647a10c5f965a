import type { Endpoint, LakeKnown } from '../../kernel/endpoint.ts'
import { ValidationErrors } from '../../kernel/http/validation-errors.ts'
import type { KnownValues } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { nearest, nearestWord } from '../../kernel/reads/suggest.ts'
import type { CachedViews } from '../state/cached-views.ts'
import type { RequestValues } from './request.ts'

/**
 * Makes the check that refuses unknown values of an endpoint's parameters with known values: a 400 problem that names each.
 * Returns null if the endpoint has no such parameter.
 */
export function knownValuesCheck(
  endpoint: Endpoint,
  kept: Pick<CachedViews, 'optional'>,
): ((values: RequestValues) => Promise<void>) | null {
  const stated = Object.entries(endpoint.params).flatMap(([name, one]) =>
    one.kind === 'param' && one.known ? [{ name, known: one.known }] : [],
  )
  if (stated.length === 0) return null
  return async (asked) => {
    const errors = new ValidationErrors()
    for (const { name, known } of stated) {
      const given = givenOf(asked, name)
      if (given.length === 0) continue
      // Known values that cannot be read now refuse nothing.
      const values = await kept.optional(known.query, '')
      if (!values?.size) continue
      for (const value of given) if (!values.has(value)) errors.refused(refusal(value, values, known), name, value)
    }
    errors.throwIfAny()
  }
}

/** Refuses a request to the lake without results if no row has one of its values. The 400 problem names each unknown value. */
export async function refuseUnknown(
  known: Readonly<Record<string, Omit<LakeKnown<never>, 'values'>>>,
  asked: RequestValues,
  valuesOf: (name: string) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const errors = new ValidationErrors()
  for (const [name, { expected, fold = (value: string) => value }] of Object.entries(known)) {
    const given = givenOf(asked, name)
    if (given.length === 0) continue
    const values = await valuesOf(name)
    if (values.size === 0) continue
    const folded = new Set([...values].map(fold))
    for (const value of given)
      if (!folded.has(fold(value))) errors.refused(refusal(value, values, { expected, isListed: true }), name, value)
  }
  errors.throwIfAny()
}

/** Returns a request's values of a parameter, as texts. */
export function givenOf({ own }: RequestValues, name: string): string[] {
  return [own[name] ?? []].flat().map(String)
}

function refusal(value: string, values: ReadonlySet<string>, { expected, isListed }: Omit<KnownValues, 'query'>): InvalidParam {
  const near = (): string | null => (isListed ? nearestWord(value, values) : nearest(value, values))
  if (!isListed) return new InvalidParam(expected, { near })
  const allowed = [...values]
  return new InvalidParam(`${expected}: ${allowed.join(', ')}`, { near, allowed })
}
