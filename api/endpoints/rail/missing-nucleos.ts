import type { State } from '../../kernel/endpoint.ts'

/**
 * True if the newest publication of a state lacks a núcleo that the reply may include, given the requested ones; null for all.
 */
export function lacksNucleo(
  states: readonly Pick<State, 'parts'>[],
  { network, nucleo }: { readonly network: readonly string[] | string | null; readonly nucleo: readonly string[] | null },
): boolean {
  const isCommuter = network === null || [network].flat().includes('CERCANIAS')
  const missing = states.flatMap(({ parts }) => parts.flatMap((part) => part.missing ?? []))
  return isCommuter && missing.some((code) => nucleo === null || nucleo.includes(code))
}
