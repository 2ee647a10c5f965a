import type { Feed } from '../define.ts'
import { barcelonaAccidents } from './barcelona-accidents.ts'
import { cataloniaAccidents } from './catalonia-accidents.ts'
import { dgtAccidentDictionary } from './dgt-accident-dictionary.ts'
import { dgtAccidents } from './dgt-accidents.ts'
import { dgtAnimalAccidents } from './dgt-animal-accidents.ts'
import { madridAccidents } from './madrid-accidents.ts'

/** Feeds about road safety. */
export const feeds: readonly Feed[] = Object.freeze([
  dgtAccidents,
  dgtAccidentDictionary,
  dgtAnimalAccidents,
  madridAccidents,
  barcelonaAccidents,
  cataloniaAccidents,
])
