import type { Derived } from '../define.ts'
import { corridorHoursDerived, corridorSensorMonthsDerived } from './corridors.ts'
import { mobilityFlowDaysDerived } from './flow-days.ts'
import { imdDetectorMonthsDerived, imdRoadsDerived } from './imd.ts'

/** Derivations about mobility. */
export const derivations: readonly Derived[] = Object.freeze([
  imdRoadsDerived,
  imdDetectorMonthsDerived,
  corridorHoursDerived,
  corridorSensorMonthsDerived,
  mobilityFlowDaysDerived,
])
