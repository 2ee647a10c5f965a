import type { Endpoint } from '../define/endpoint.ts'
import type { KnownValues } from '../define/params.ts'
import { Refused } from '../define/problems.ts'
import { nearest } from '../define/suggest.ts'
import type { KeptLake } from './kept-lake.ts'
import { Mistakes } from './mistakes.ts'
import type { RequestValues } from './request.ts'

/**
 * Makes what refuses values that nothing has, of the parameters of an endpoint that state what is known: a 400 problem that names each. Null
 * for an endpoint without any.
 */
export function knownValuesCheck(endpoint: Endpoint, kept: Pick<KeptLake, 'extra'>): ((values: RequestValues) => Promise<void>) | null {
  const stated = Object.entries(endpoint.params).flatMap(([name, one]) =>
    one.kind === 'param' && one.known ? [{ name, known: one.known }] : [],
  )
  if (stated.length === 0) return null
  return async ({ own }) => {
    const mistakes = new Mistakes()
    for (const { name, known } of stated) {
      const given = [own[name] ?? []].flat() as string[]
      if (given.length === 0) continue
      // What cannot be read now refuses nothing.
      const values = await kept.extra(known.slice, '')
      if (!values?.size) continue
      for (const value of given) if (!values.has(value)) mistakes.refused(refusal(value, values, known), name, value)
    }
    mistakes.throwIfAny()
  }
}

function refusal(value: string, values: ReadonlySet<string>, { expected, isListed }: KnownValues): Refused {
  const near = (): string | null => nearest(value, values)
  if (!isListed) return new Refused(expected, { near })
  const allowed = [...values]
  return new Refused(`${expected}: ${allowed.join(', ')}`, { near, allowed })
}
