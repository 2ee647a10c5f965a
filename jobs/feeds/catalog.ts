import type { Feed } from './define.ts'
import { fuelArchive } from './fuel/archive.ts'
import { fuelBulletinFeed } from './fuel/bulletin.ts'
import { fuelMinistryMeans } from './fuel/ministry-means.ts'
import { fuelStationsFeed } from './fuel/stations.ts'
import { mitmaImd } from './mobility/mitma-imd.ts'
import { mitmaOvernightStays } from './mobility/mitma-overnight-stays.ts'
import { mitmaDistrictTrips, mitmaGauTrips, mitmaTrips, mitmaV1Trips } from './mobility/mitma-trips.ts'
import { mitmaZoneAreas } from './mobility/mitma-zone-areas.ts'
import { mitmaZoneNames } from './mobility/mitma-zone-names.ts'
import { mitmaZonePoints } from './mobility/mitma-zone-points.ts'
import { mitmaV1Zones, mitmaZones } from './mobility/mitma-zones.ts'
import { renfeAlerts } from './rail/renfe-alerts.ts'
import { renfeEstaciones } from './rail/renfe-estaciones.ts'
import { renfeFlota, renfeFlotaLd } from './rail/renfe-flota.ts'
import { renfeGtfsAvldmd } from './rail/renfe-gtfs-avldmd.ts'
import { renfeGtfsCercanias } from './rail/renfe-gtfs-cercanias.ts'
import { renfeMaterial } from './rail/renfe-material.ts'
import { renfePositions, renfePositionsLd } from './rail/renfe-positions.ts'
import { renfeTripUpdates, renfeTripUpdatesLd } from './rail/renfe-trip-updates.ts'
import { dgtIncidentsFeed } from './road/dgt-incidents.ts'
import { madridCountStations } from './road/madrid-count-stations.ts'
import { madridCounts } from './road/madrid-counts.ts'
import { madridHistory } from './road/madrid-history.ts'
import { madridSensorEditions } from './road/madrid-sensor-editions.ts'
import { madridSensors } from './road/madrid-sensors.ts'
import { madridTraffic } from './road/madrid-traffic.ts'
import { sctIncidentsFeed } from './road/sct-incidents.ts'
import { barcelonaAccidents } from './safety/barcelona-accidents.ts'
import { cataloniaAccidents } from './safety/catalonia-accidents.ts'
import { dgtAccidentDictionary } from './safety/dgt-accident-dictionary.ts'
import { dgtAccidents } from './safety/dgt-accidents.ts'
import { dgtAnimalAccidents } from './safety/dgt-animal-accidents.ts'
import { madridAccidents } from './safety/madrid-accidents.ts'
import { aemetDaily } from './weather/aemet-daily.ts'
import { aemetObservation } from './weather/aemet-observation.ts'
import { aemetStations } from './weather/aemet-stations.ts'

/** Every feed of the service. */
export const feeds: readonly Feed[] = Object.freeze([
  dgtIncidentsFeed,
  sctIncidentsFeed,
  madridTraffic,
  madridSensors,
  madridSensorEditions,
  madridCounts,
  madridCountStations,
  madridHistory,
  fuelStationsFeed,
  fuelArchive,
  fuelBulletinFeed,
  fuelMinistryMeans,
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
  renfeAlerts,
  renfeTripUpdates,
  renfeTripUpdatesLd,
  renfePositions,
  renfePositionsLd,
  renfeFlotaLd,
  renfeFlota,
  renfeGtfsCercanias,
  renfeGtfsAvldmd,
  renfeEstaciones,
  renfeMaterial,
  dgtAccidents,
  dgtAccidentDictionary,
  dgtAnimalAccidents,
  madridAccidents,
  barcelonaAccidents,
  cataloniaAccidents,
  aemetObservation,
  aemetStations,
  aemetDaily,
])

/** The feed of an id; throws for an id the catalogue lacks. */
export function feedById(id: string): Feed {
  const found = feeds.find((feed) => feed.id === id)
  if (!found) throw new Error(`no feed ${id}; there are ${feeds.map((feed) => feed.id).join(', ')}`)
  return found
}
