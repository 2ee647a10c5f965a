import type { Collection } from './collection.ts'
import { airStationCollection } from './collections/air.ts'
import { airportCollection } from './collections/aviation.ts'
import { gasStationCollection } from './collections/fuel.ts'
import { ferryCollection, marineStationCollection, portCollection, vesselCollection } from './collections/maritime.ts'
import { municipalityCollection, provinceCollection } from './collections/places.ts'
import { railAlertCollection, railRouteCollection, railStationCollection, stockCollection } from './collections/rail.ts'
import {
  cameraCollection,
  chargingSiteCollection,
  corridorCollection,
  countStationCollection,
  incidentCollection,
  lowEmissionZoneCollection,
  panelCollection,
  roadCollection,
  sensorCollection,
  speedCameraCollection,
} from './collections/road.ts'
import { hotspotCollection } from './collections/safety.ts'
import { datasetCollection } from './collections/service.ts'
import { weatherAlertCollection, weatherStationCollection } from './collections/weather.ts'

/** The collections of the search, in the order in which documentation shows them. */
export const collections: readonly Collection[] = Object.freeze([
  gasStationCollection,
  marineStationCollection,
  roadCollection,
  corridorCollection,
  cameraCollection,
  speedCameraCollection,
  panelCollection,
  sensorCollection,
  countStationCollection,
  incidentCollection,
  hotspotCollection,
  provinceCollection,
  municipalityCollection,
  lowEmissionZoneCollection,
  railStationCollection,
  railRouteCollection,
  railAlertCollection,
  stockCollection,
  weatherStationCollection,
  weatherAlertCollection,
  airStationCollection,
  portCollection,
  ferryCollection,
  vesselCollection,
  airportCollection,
  datasetCollection,
  chargingSiteCollection,
])
