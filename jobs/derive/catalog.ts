import { derivations as aviation } from './aviation/index.ts'
import type { Derived } from './define.ts'
import { derivations as fuel } from './fuel/index.ts'
import { derivations as mobility } from './mobility/index.ts'
import { inOrderOfInputs } from './order.ts'
import { derivations as rail } from './rail/index.ts'
import { derivations as road } from './road/index.ts'
import { derivations as safety } from './safety/index.ts'
import { derivations as weather } from './weather/index.ts'

/** Every derivation of the service, in execution order. */
export const derivations: readonly Derived[] = inOrderOfInputs([...rail, ...fuel, ...road, ...weather, ...safety, ...mobility, ...aviation])
