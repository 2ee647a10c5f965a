import type { Feed } from '../define.ts'
import { barcelonaHistory } from './barcelona-history.ts'
import { barcelonaSections } from './barcelona-sections.ts'
import { barcelonaTraffic } from './barcelona-traffic.ts'
import { bilbaoTraffic } from './bilbao-traffic.ts'
import { dgtCameras } from './dgt-cameras.ts'
import { dgtChargers } from './dgt-chargers.ts'
import { dgtDetectorSites } from './dgt-detector-sites.ts'
import { dgtDetectors } from './dgt-detectors.ts'
import { dgtIncidentsFeed } from './dgt-incidents.ts'
import { dgtSpeedCameras } from './dgt-speed-cameras.ts'
import { dgtVms } from './dgt-vms.ts'
import { dgtVmsDevices } from './dgt-vms-devices.ts'
import { dgtZones } from './dgt-zones.ts'
import { ignMunicipalities } from './ign-municipalities.ts'
import { ignRoads } from './ign-roads.ts'
import { madridCameras } from './madrid-cameras.ts'
import { madridCountStations } from './madrid-count-stations.ts'
import { madridCounts } from './madrid-counts.ts'
import { madridHistory } from './madrid-history.ts'
import { madridSensorEditions } from './madrid-sensor-editions.ts'
import { madridSensors } from './madrid-sensors.ts'
import { madridSpeedCameras } from './madrid-speed-cameras.ts'
import { madridTraffic } from './madrid-traffic.ts'
import { mallorcaIncidents } from './mallorca-incidents.ts'
import { sctCameras } from './sct-cameras.ts'
import { sctIncidentsFeed } from './sct-incidents.ts'
import { sctSituations } from './sct-situations.ts'
import { sctMobileSites, sctSpeedCameras } from './sct-speed-cameras.ts'
import { trafikoaIncidents } from './trafikoa-incidents.ts'
import { valenciaTraffic } from './valencia-traffic.ts'

/** Feeds about roads. */
export const feeds: readonly Feed[] = Object.freeze([
  dgtIncidentsFeed,
  sctIncidentsFeed,
  trafikoaIncidents,
  sctSituations,
  mallorcaIncidents,
  dgtVms,
  dgtVmsDevices,
  dgtCameras,
  sctCameras,
  madridCameras,
  dgtSpeedCameras,
  sctSpeedCameras,
  sctMobileSites,
  madridSpeedCameras,
  dgtDetectors,
  dgtDetectorSites,
  dgtZones,
  dgtChargers,
  madridTraffic,
  madridSensors,
  madridSensorEditions,
  madridCounts,
  madridCountStations,
  madridHistory,
  barcelonaTraffic,
  barcelonaSections,
  barcelonaHistory,
  valenciaTraffic,
  bilbaoTraffic,
  ignRoads,
  ignMunicipalities,
])
