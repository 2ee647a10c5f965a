import { defineDomain } from '../../kernel/domain.ts'
import { cameraById, cameraList } from './cameras.ts'
import { chargingSiteById, chargingSiteList } from './chargers.ts'
import { cityHistory } from './city-history.ts'
import { citySensors } from './city-sensors.ts'
import { cityList } from './city-traffic.ts'
import { trafficForecastList } from './forecasts.ts'
import { roadPlaceList } from './geo-pk.ts'
import { incidentStats } from './incident-stats.ts'
import { incidentById, incidentChanges, incidentHistory, incidentList, pastIncidentList } from './incidents.ts'
import { levelHistory } from './level-history.ts'
import { panelById, panelChanges, panelHistory, panelList } from './panels.ts'
import { municipalityByCodeDetail, municipalityList, provinceByCodeDetail, provinceList } from './places.ts'
import { roadById, roadList } from './road-catalogue.ts'
import { roadGeometry } from './road-geometry.ts'
import { roadState } from './road-state.ts'
import { routeList } from './route.ts'
import { sensorHistory } from './sensor-history.ts'
import { sensorById, sensorList } from './sensors.ts'
import { speedCameraList } from './speed-cameras.ts'
import { trafficSummary } from './summary.ts'
import { trafficIntensity } from './traffic-intensity.ts'
import { v16History, v16List, v16Stats } from './v16.ts'
import { wayLegs } from './way.ts'
import { worksList } from './works.ts'
import { zoneById, zoneList } from './zones.ts'

/** Endpoints about roads, in the order in which documentation shows them. */
export const road = defineDomain({
  id: 'road',
  title: { es: 'Carreteras', en: 'Roads' },
  endpoints: [
    ...[incidentList, incidentById, incidentHistory, incidentChanges, pastIncidentList, incidentStats],
    ...[v16List, v16Stats, v16History],
    ...[panelList, panelById, panelHistory, panelChanges],
    ...[cameraList, cameraById, speedCameraList],
    ...[trafficIntensity, levelHistory, sensorList, sensorById, sensorHistory],
    ...[cityList, citySensors, cityHistory],
    ...[trafficForecastList, worksList, trafficSummary, routeList],
    ...[roadList, roadById, roadState, roadGeometry, roadPlaceList, wayLegs],
    ...[zoneList, zoneById, provinceList, provinceByCodeDetail, municipalityList, municipalityByCodeDetail],
    ...[chargingSiteList, chargingSiteById],
  ],
})
