import { type Derived, filledBy, inputsOf } from './define.ts'

/**
 * Sorts derivations so that each follows those that fill its inputs. Otherwise SQL goes before models, which take longer, and
 * the given order is kept. Throws if derivations form a cycle.
 */
export function inOrderOfInputs(derivations: readonly Derived[]): readonly Derived[] {
  const waiting = [...derivations.filter(({ by }) => by !== 'model'), ...derivations.filter(({ by }) => by === 'model')]
  const ordered: Derived[] = []
  while (waiting.length > 0) {
    const unmade = new Set(waiting.flatMap(filledBy))
    const next = waiting.findIndex((derived) => !inputsOf(derived).some((input) => unmade.has(input)))
    if (next === -1) throw new Error(`these derivations depend on each other: ${waiting.map(({ into }) => into.id).join(', ')}`)
    ordered.push(...waiting.splice(next, 1))
  }
  return Object.freeze(ordered)
}
