import type { Feed } from '../define.ts'
import { barcelonaHistory } from './barcelona-history.ts'
import { barcelonaSections, barcelonaTraffic } from './barcelona-traffic.ts'
import { bilbaoTraffic } from './bilbao-traffic.ts'
import { dgtChargers } from './dgt-chargers.ts'
import { dgtDetectorSites, dgtDetectors } from './dgt-detectors.ts'
import { dgtCameras, dgtVmsDevices } from './dgt-devices.ts'
import { dgtIncidentsFeed } from './dgt-incidents.ts'
import { dgtSpeedCameras } from './dgt-speed-cameras.ts'
import { dgtVms } from './dgt-vms.ts'
import { dgtZones } from './dgt-zones.ts'
import { sctSituations, trafikoaIncidents } from './former-incidents.ts'
import { ignMunicipalities } from './ign-municipalities.ts'
import { ignRoads } from './ign-roads.ts'
import { madridCameras } from './madrid-cameras.ts'
import { madridCountStations, madridCounts } from './madrid-counts.ts'
import { madridHistory } from './madrid-history.ts'
import { madridSensorEditions, madridSensors } from './madrid-sensors.ts'
import { madridSpeedCameras } from './madrid-speed-cameras.ts'
import { madridTraffic } from './madrid-traffic.ts'
import { mallorcaIncidents } from './mallorca-incidents.ts'
import { sctCameras } from './sct-cameras.ts'
import { sctIncidentsFeed } from './sct-incidents.ts'
import { sctMobileSites, sctSpeedCameras } from './sct-speed-cameras.ts'
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
