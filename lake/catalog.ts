import { fuelArchivePrices } from './datasets/fuel/archive-prices.ts'
import { fuelBulletin } from './datasets/fuel/bulletin.ts'
import { fuelDays } from './datasets/fuel/days.ts'
import { fuelForecasts } from './datasets/fuel/forecasts.ts'
import { fuelMinistryDays } from './datasets/fuel/ministry-days.ts'
import { fuelPrices } from './datasets/fuel/prices.ts'
import { fuelStations } from './datasets/fuel/stations.ts'
import { corridorHours } from './datasets/mobility/corridor-hours.ts'
import { corridorSensorMonths } from './datasets/mobility/corridor-sensor-months.ts'
import { mobilityFlowDays } from './datasets/mobility/flow-days.ts'
import { imdRoads } from './datasets/mobility/imd-roads.ts'
import { imdSections } from './datasets/mobility/imd-sections.ts'
import { mobilityOvernightStays } from './datasets/mobility/overnight-stays.ts'
import { mobilityDistrictTrips, mobilityGauTrips, mobilityTrips, mobilityV1Trips } from './datasets/mobility/trips.ts'
import { mobilityZoneAreas } from './datasets/mobility/zone-areas.ts'
import { mobilityZoneMembers } from './datasets/mobility/zone-members.ts'
import { mobilityZonePoints } from './datasets/mobility/zone-points.ts'
import { mobilityZones } from './datasets/mobility/zones.ts'
import { railAlerts } from './datasets/rail/alerts.ts'
import { railCalendar } from './datasets/rail/calendar.ts'
import { railFleet } from './datasets/rail/fleet.ts'
import { railPositions } from './datasets/rail/positions.ts'
import { railRoutes } from './datasets/rail/routes.ts'
import { railShapes } from './datasets/rail/shapes.ts'
import { railStationRegister } from './datasets/rail/station-register.ts'
import { railStations } from './datasets/rail/stations.ts'
import { railStock } from './datasets/rail/stock.ts'
import { railStopTimes } from './datasets/rail/stop-times.ts'
import { railTimetableChanges } from './datasets/rail/timetable-changes.ts'
import { railTripUpdates } from './datasets/rail/trip-updates.ts'
import { railTrips } from './datasets/rail/trips.ts'
import { incidents } from './datasets/road/incidents.ts'
import { roadPoints } from './datasets/road/road-points.ts'
import { trafficCityHours } from './datasets/road/traffic-city-hours.ts'
import { trafficCountStations } from './datasets/road/traffic-count-stations.ts'
import { trafficCountsHourly } from './datasets/road/traffic-counts-hourly.ts'
import { trafficDays } from './datasets/road/traffic-days.ts'
import { trafficForecasts } from './datasets/road/traffic-forecasts.ts'
import { trafficHours } from './datasets/road/traffic-hours.ts'
import { trafficModels } from './datasets/road/traffic-models.ts'
import { trafficReadings } from './datasets/road/traffic-readings.ts'
import { trafficReadings15m } from './datasets/road/traffic-readings-15m.ts'
import { trafficSensorEditions } from './datasets/road/traffic-sensor-editions.ts'
import { trafficSensors } from './datasets/road/traffic-sensors.ts'
import { trafficTypicalWeeks } from './datasets/road/traffic-typical-weeks.ts'
import { v16Beacons } from './datasets/road/v16-beacons.ts'
import { v16Hours } from './datasets/road/v16-hours.ts'
import { accidentCodebook } from './datasets/safety/accident-codebook.ts'
import { accidentPositions, animalAccidentPositions } from './datasets/safety/accident-positions.ts'
import { accidentSections } from './datasets/safety/accident-sections.ts'
import { animalAccidents } from './datasets/safety/animal-accidents.ts'
import { accidentHotspots } from './datasets/safety/hotspots.ts'
import { riskEstimates } from './datasets/safety/risk-estimates.ts'
import { riskProfiles } from './datasets/safety/risk-profiles.ts'
import { roadAccidents } from './datasets/safety/road-accidents.ts'
import { apiUsage } from './datasets/service/api-usage.ts'
import { modelCards } from './datasets/service/model-cards.ts'
import { modelScores } from './datasets/service/model-scores.ts'
import { weatherDaily } from './datasets/weather/weather-daily.ts'
import { weatherDays } from './datasets/weather/weather-days.ts'
import { weatherObservations } from './datasets/weather/weather-observations.ts'
import { weatherRoadDays } from './datasets/weather/weather-road-days.ts'
import { weatherStationRoads } from './datasets/weather/weather-station-roads.ts'
import { weatherStations } from './datasets/weather/weather-stations.ts'
import { checkDatasets } from './schema/check-datasets.ts'
import type { Dataset } from './schema/dataset.ts'

/** Every dataset of the service, in the order documentation shows them. */
export const datasets: readonly Dataset[] = checkDatasets([
  incidents,
  v16Beacons,
  v16Hours,
  trafficReadings,
  trafficReadings15m,
  trafficSensors,
  trafficSensorEditions,
  trafficCountsHourly,
  trafficCountStations,
  trafficHours,
  trafficDays,
  trafficCityHours,
  trafficTypicalWeeks,
  trafficModels,
  trafficForecasts,
  roadPoints,
  fuelStations,
  fuelPrices,
  fuelArchivePrices,
  fuelDays,
  fuelBulletin,
  fuelMinistryDays,
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
  corridorHours,
  corridorSensorMonths,
  mobilityFlowDays,
  railAlerts,
  railTripUpdates,
  railPositions,
  railFleet,
  railStations,
  railRoutes,
  railShapes,
  railTrips,
  railStopTimes,
  railCalendar,
  railTimetableChanges,
  railStationRegister,
  railStock,
  roadAccidents,
  accidentSections,
  accidentPositions,
  animalAccidents,
  animalAccidentPositions,
  accidentCodebook,
  weatherStations,
  weatherObservations,
  weatherDaily,
  weatherDays,
  weatherStationRoads,
  weatherRoadDays,
  accidentHotspots,
  fuelForecasts,
  riskEstimates,
  riskProfiles,
  modelScores,
  modelCards,
  apiUsage,
])

/** The dataset of an id; throws for an id the catalogue lacks. */
export function datasetById(id: string): Dataset {
  const found = datasets.find((dataset) => dataset.id === id)
  if (!found) throw new Error(`no dataset ${id}; there are ${datasets.map((dataset) => dataset.id).join(', ')}`)
  return found
}
