import type { Dataset } from '../../schema/dataset.ts'
import { corridorHours } from './corridor-hours.ts'
import { corridorSensorMonths } from './corridor-sensor-months.ts'
import { mobilityFlowDays } from './flow-days.ts'
import { imdDetectorMonths } from './imd-detector-months.ts'
import { imdRoads } from './imd-roads.ts'
import { imdSections } from './imd-sections.ts'
import { mobilityOvernightStays } from './overnight-stays.ts'
import { mobilityDistrictTrips, mobilityGauTrips, mobilityTrips, mobilityV1Trips } from './trips.ts'
import { mobilityZoneAreas } from './zone-areas.ts'
import { mobilityZoneMembers } from './zone-members.ts'
import { mobilityZonePoints } from './zone-points.ts'
import { mobilityZones } from './zones.ts'

/** Datasets about mobility, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([
  mobilityOvernightStays,
  mobilityTrips,
  mobilityDistrictTrips,
  mobilityGauTrips,
  mobilityV1Trips,
  mobilityZoneMembers,
  mobilityZones,
  mobilityZonePoints,
  mobilityZoneAreas,
  imdSections,
  imdRoads,
  imdDetectorMonths,
  corridorHours,
  corridorSensorMonths,
  mobilityFlowDays,
])
