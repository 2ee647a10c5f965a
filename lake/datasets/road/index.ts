import type { Dataset } from '../../schema/dataset.ts'
import { cameras, speedCameras } from './cameras.ts'
import { chargingSites } from './charging-sites.ts'
import { incidents } from './incidents.ts'
import { lowEmissionZones } from './low-emission-zones.ts'
import { municipalityRegister } from './municipality-register.ts'
import { roadAxes, roadPoints, roadPosts, roadSections } from './road-network.ts'
import { trafficCountStations, trafficCountsHourly } from './traffic-counts.ts'
import { trafficForecasts, trafficModels } from './traffic-forecasts.ts'
import { trafficReadings, trafficReadings15m } from './traffic-readings.ts'
import { trafficCityHours, trafficDays, trafficHours, trafficTypicalWeeks } from './traffic-roll-ups.ts'
import { trafficSectionHours, trafficSectionStates, trafficSectionStatesArchive, trafficSections } from './traffic-sections.ts'
import { trafficSensorEditions, trafficSensors } from './traffic-sensors.ts'
import { v16Beacons, v16Hours } from './v16.ts'
import { vmsDevices, vmsMessages } from './vms.ts'

/** Datasets about roads, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([
  incidents,
  v16Beacons,
  v16Hours,
  vmsDevices,
  vmsMessages,
  lowEmissionZones,
  chargingSites,
  cameras,
  speedCameras,
  trafficReadings,
  trafficReadings15m,
  trafficSensors,
  trafficSensorEditions,
  trafficSectionStates,
  trafficSectionStatesArchive,
  trafficSections,
  trafficSectionHours,
  trafficCountsHourly,
  trafficCountStations,
  trafficHours,
  trafficDays,
  trafficCityHours,
  trafficTypicalWeeks,
  trafficModels,
  trafficForecasts,
  roadPoints,
  roadSections,
  roadPosts,
  roadAxes,
  municipalityRegister,
])
