import type { State } from '../../define/endpoint.ts'

/** True where the newest publication of one of some states lacks a núcleo that an answer may be of, by what it is asked of; null is all. */
export function lacksNucleo(
  states: readonly Pick<State, 'parts'>[],
  { network, nucleo }: { readonly network: readonly string[] | string | null; readonly nucleo: readonly string[] | null },
): boolean {
  const isCommuter = network === null || [network].flat().includes('CERCANIAS')
  const missing = states.flatMap(({ parts }) => parts.flatMap((part) => part.missing ?? []))
  return isCommuter && missing.some((code) => nucleo === null || nucleo.includes(code))
}
