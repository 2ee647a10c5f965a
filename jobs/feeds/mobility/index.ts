import type { Feed } from '../define.ts'
import { mitmaImd } from './mitma-imd.ts'
import { mitmaOvernightStays } from './mitma-overnight-stays.ts'
import { mitmaDistrictTrips, mitmaGauTrips, mitmaTrips, mitmaV1Trips } from './mitma-trips.ts'
import { mitmaZoneAreas } from './mitma-zone-areas.ts'
import { mitmaZonePoints } from './mitma-zone-points.ts'
import { mitmaV1Zones, mitmaZoneNames, mitmaZones } from './mitma-zones.ts'

/** Feeds about mobility. */
export const feeds: readonly Feed[] = Object.freeze([
  mitmaOvernightStays,
  mitmaTrips,
  mitmaDistrictTrips,
  mitmaGauTrips,
  mitmaV1Trips,
  mitmaZones,
  mitmaV1Zones,
  mitmaZoneNames,
  mitmaZonePoints,
  mitmaZoneAreas,
  mitmaImd,
])
