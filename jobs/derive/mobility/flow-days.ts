import { mobilityFlowDays, mobilityTrips, mobilityV1Trips, zoneProvince } from '../../../lake/datasets/mobility/trips.ts'
import { type SqlPart, sql } from '../../../lake/query/sql.ts'
import { defineDerived } from '../define.ts'

/** Trips between provinces by day: each study's trips between municipal zones, summed by DuckDB, month by month. */
export const mobilityFlowDaysDerived = defineDerived({
  by: 'months',
  into: mobilityFlowDays,
  from: [mobilityTrips, mobilityV1Trips],
  // The 2020 and 2021 study has ended: the coverage comes from the later one.
  fallbackInputs: [mobilityV1Trips],
  revision: 2,
  isShared: true,
  rows: ({ month }, [trips, former], dialect) => sql`
    SELECT ${month} AS month, study, local_date, day_starts_at,
      ${zoneProvince(sql`origin_zone`, dialect)} AS origin_province, ${zoneProvince(sql`destination_zone`, dialect)} AS destination_province,
      CAST(sum(trips) AS DECIMAL(15, 3)) AS trips, CAST(sum(trip_km) AS DECIMAL(15, 3)) AS trip_km
    FROM (SELECT ${TRIPS} FROM ${trips as SqlPart} UNION ALL SELECT ${TRIPS} FROM ${former as SqlPart})
    WHERE zone_level = 'MUNICIPALITY'
    GROUP BY ALL`,
})

const TRIPS = sql`study, local_date, day_starts_at, origin_zone, destination_zone, zone_level, trips, trip_km`
