import type { Dataset } from '../../schema/dataset.ts'
import { corridorHours, corridorSensorMonths } from './corridors.ts'
import { imdDetectorMonths, imdRoads, imdSections } from './imd.ts'
import {
  mobilityDistrictTrips,
  mobilityFlowDays,
  mobilityGauTrips,
  mobilityOvernightStays,
  mobilityTrips,
  mobilityV1Trips,
} from './trips.ts'
import { mobilityZoneAreas, mobilityZoneMembers, mobilityZonePoints, mobilityZones } from './zones.ts'

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
