import type { Endpoint, LakeKnown } from '../define/endpoint.ts'
import type { KnownValues } from '../define/params.ts'
import { Refused } from '../define/problems.ts'
import { nearest, nearestWord } from '../define/suggest.ts'
import type { KeptLake } from './kept-lake.ts'
import { Mistakes } from './mistakes.ts'
import type { RequestValues } from './request.ts'

/**
 * Makes the check that refuses unknown values of an endpoint's parameters with known values: a 400 problem that names each.
 * Returns null if the endpoint has no such parameter.
 */
export function knownValuesCheck(endpoint: Endpoint, kept: Pick<KeptLake, 'extra'>): ((values: RequestValues) => Promise<void>) | null {
  const stated = Object.entries(endpoint.params).flatMap(([name, one]) =>
    one.kind === 'param' && one.known ? [{ name, known: one.known }] : [],
  )
  if (stated.length === 0) return null
  return async (asked) => {
    const mistakes = new Mistakes()
    for (const { name, known } of stated) {
      const given = givenOf(asked, name)
      if (given.length === 0) continue
      // Known values that cannot be read now refuse nothing.
      const values = await kept.extra(known.slice, '')
      if (!values?.size) continue
      for (const value of given) if (!values.has(value)) mistakes.refused(refusal(value, values, known), name, value)
    }
    mistakes.throwIfAny()
  }
}

/** Refuses a request to the lake without results if no row has one of its values. The 400 problem names each unknown value. */
export async function refuseUnknown(
  known: Readonly<Record<string, Omit<LakeKnown<never>, 'values'>>>,
  asked: RequestValues,
  valuesOf: (name: string) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const mistakes = new Mistakes()
  for (const [name, { expected, fold = (value: string) => value }] of Object.entries(known)) {
    const given = givenOf(asked, name)
    if (given.length === 0) continue
    const values = await valuesOf(name)
    if (values.size === 0) continue
    const folded = new Set([...values].map(fold))
    for (const value of given)
      if (!folded.has(fold(value))) mistakes.refused(refusal(value, values, { expected, isListed: true }), name, value)
  }
  mistakes.throwIfAny()
}

/** Returns a request's values of a parameter, as texts. */
export function givenOf({ own }: RequestValues, name: string): string[] {
  return [own[name] ?? []].flat().map(String)
}

function refusal(value: string, values: ReadonlySet<string>, { expected, isListed }: Omit<KnownValues, 'slice'>): Refused {
  const near = (): string | null => (isListed ? nearestWord(value, values) : nearest(value, values))
  if (!isListed) return new Refused(expected, { near })
  const allowed = [...values]
  return new Refused(`${expected}: ${allowed.join(', ')}`, { near, allowed })
}
