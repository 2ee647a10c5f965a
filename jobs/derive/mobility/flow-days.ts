import { mobilityFlowDays, zoneProvince } from '../../../lake/datasets/mobility/flow-days.ts'
import { mobilityTrips } from '../../../lake/datasets/mobility/trips.ts'
import { sql } from '../../../lake/query/sql.ts'
import { defineDerived } from '../define.ts'

/** Trips between provinces by day: a month of the trips between municipal zones, added up by the engine. */
export const mobilityFlowDaysDerived = defineDerived({
  by: 'months',
  into: mobilityFlowDays,
  from: [mobilityTrips],
  revision: 1,
  rows: ({ month }, [trips]) => sql`
    SELECT ${month} AS month, study, local_date, day_starts_at,
      ${zoneProvince(sql`origin_zone`)} AS origin_province, ${zoneProvince(sql`destination_zone`)} AS destination_province,
      CAST(sum(trips) AS DECIMAL(15, 3)) AS trips, CAST(sum(trip_km) AS DECIMAL(15, 3)) AS trip_km
    FROM ${trips ?? null}
    WHERE zone_level = 'MUNICIPALITY'
    GROUP BY ALL`,
})
