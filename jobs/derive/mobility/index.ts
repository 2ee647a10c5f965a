import type { Derived } from '../define.ts'
import { corridorHoursDerived, corridorSensorMonthsDerived } from './corridors.ts'
import { mobilityFlowDaysDerived } from './flow-days.ts'
import { imdDetectorMonthsDerived } from './imd-detectors.ts'
import { imdRoadsDerived } from './imd-roads.ts'

/** Derivations about mobility. */
export const derivations: readonly Derived[] = Object.freeze([
  imdRoadsDerived,
  imdDetectorMonthsDerived,
  corridorHoursDerived,
  corridorSensorMonthsDerived,
  mobilityFlowDaysDerived,
])
