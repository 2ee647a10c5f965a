import type { Derived } from '../define.ts'
import { hotspotsDerived } from './hotspots.ts'
import { accidentPositionsDerived, animalPositionsDerived } from './positions.ts'
import { riskDerived } from './risk.ts'
import { accidentSectionsDerived } from './sections.ts'

/** Derivations about road safety. */
export const derivations: readonly Derived[] = Object.freeze([
  accidentSectionsDerived,
  accidentPositionsDerived,
  animalPositionsDerived,
  hotspotsDerived,
  riskDerived,
])
