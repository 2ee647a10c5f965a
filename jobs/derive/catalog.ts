import type { Derived } from './define.ts'
import { fuelDaysDerived } from './fuel/days.ts'
import { fuelForecastsDerived } from './fuel/forecasts.ts'
import { corridorHoursDerived, corridorSensorMonthsDerived } from './mobility/corridors.ts'
import { mobilityFlowDaysDerived } from './mobility/flow-days.ts'
import { imdRoadsDerived } from './mobility/imd-roads.ts'
import { timetableChanges } from './rail/timetable-changes.ts'
import { trafficForecastsDerived, trafficModelsDerived } from './road/forecasts.ts'
import { roadPointsDerived } from './road/road-points.ts'
import { trafficCityHoursDerived, trafficDaysDerived, trafficHoursDerived, trafficTypicalWeeksDerived } from './road/traffic.ts'
import { v16HoursDerived } from './road/v16.ts'
import { hotspotsDerived } from './safety/hotspots.ts'
import { accidentPositionsDerived, animalPositionsDerived } from './safety/positions.ts'
import { riskDerived } from './safety/risk.ts'
import { accidentSectionsDerived } from './safety/sections.ts'
import { weatherDaysDerived } from './weather/days.ts'
import { weatherRoadDaysDerived, weatherStationRoadsDerived } from './weather/roads.ts'

/** Every derivation of the service, in the order in which they are made: what is derived from a derived dataset comes after it. */
export const derivations: readonly Derived[] = Object.freeze([
  timetableChanges,
  fuelDaysDerived,
  roadPointsDerived,
  weatherDaysDerived,
  weatherStationRoadsDerived,
  weatherRoadDaysDerived,
  v16HoursDerived,
  trafficHoursDerived,
  trafficDaysDerived,
  trafficCityHoursDerived,
  trafficTypicalWeeksDerived,
  accidentSectionsDerived,
  accidentPositionsDerived,
  animalPositionsDerived,
  imdRoadsDerived,
  corridorHoursDerived,
  corridorSensorMonthsDerived,
  hotspotsDerived,
  mobilityFlowDaysDerived,
  fuelForecastsDerived,
  riskDerived,
  trafficModelsDerived,
  trafficForecastsDerived,
])
