import type { Dataset } from '../../schema/dataset.ts'
import { cameras } from './cameras.ts'
import { chargingSites } from './charging-sites.ts'
import { incidents } from './incidents.ts'
import { lowEmissionZones } from './low-emission-zones.ts'
import { municipalityRegister } from './municipality-register.ts'
import { roadAxes } from './road-axes.ts'
import { roadPosts, roadSections } from './road-network.ts'
import { roadPoints } from './road-points.ts'
import { speedCameras } from './speed-cameras.ts'
import { trafficCityHours } from './traffic-city-hours.ts'
import { trafficCountStations } from './traffic-count-stations.ts'
import { trafficCountsHourly } from './traffic-counts-hourly.ts'
import { trafficDays } from './traffic-days.ts'
import { trafficForecasts } from './traffic-forecasts.ts'
import { trafficHours } from './traffic-hours.ts'
import { trafficModels } from './traffic-models.ts'
import { trafficReadings } from './traffic-readings.ts'
import { trafficReadings15m } from './traffic-readings-15m.ts'
import { trafficSectionHours } from './traffic-section-hours.ts'
import { trafficSectionStates } from './traffic-section-states.ts'
import { trafficSectionStatesArchive } from './traffic-section-states-archive.ts'
import { trafficSections } from './traffic-sections.ts'
import { trafficSensorEditions } from './traffic-sensor-editions.ts'
import { trafficSensors } from './traffic-sensors.ts'
import { trafficTypicalWeeks } from './traffic-typical-weeks.ts'
import { v16Beacons } from './v16-beacons.ts'
import { v16Hours } from './v16-hours.ts'
import { vmsDevices } from './vms-devices.ts'
import { vmsMessages } from './vms-messages.ts'

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
