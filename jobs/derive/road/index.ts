import type { Derived } from '../define.ts'
import { roadAxesDerived } from './axes.ts'
import { trafficForecastsDerived, trafficModelsDerived } from './forecasts.ts'
import { roadPointsDerived } from './road-points.ts'
import {
  trafficCityHoursDerived,
  trafficDaysDerived,
  trafficHoursDerived,
  trafficSectionHoursDerived,
  trafficTypicalWeeksDerived,
  v16HoursDerived,
} from './traffic.ts'

/** Derivations about roads. */
export const derivations: readonly Derived[] = Object.freeze([
  roadPointsDerived,
  roadAxesDerived,
  v16HoursDerived,
  trafficHoursDerived,
  trafficDaysDerived,
  trafficCityHoursDerived,
  trafficTypicalWeeksDerived,
  trafficSectionHoursDerived,
  trafficModelsDerived,
  trafficForecastsDerived,
])
