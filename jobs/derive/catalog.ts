import { derivations as aviation } from './aviation/index.ts'
import { type Derived, filledBy, inputsOf } from './define.ts'
import { derivations as fuel } from './fuel/index.ts'
import { derivations as mobility } from './mobility/index.ts'
import { derivations as rail } from './rail/index.ts'
import { derivations as road } from './road/index.ts'
import { derivations as safety } from './safety/index.ts'
import { derivations as weather } from './weather/index.ts'

/** Every derivation of the service, in execution order. */
export const derivations: readonly Derived[] = inOrderOfInputs([...rail, ...fuel, ...road, ...weather, ...safety, ...mobility, ...aviation])

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
