import type { Endpoint } from '../define/endpoint.ts'
import { fuelAverages } from './fuel/averages.ts'
import { cheapestList } from './fuel/cheapest.ts'
import { fuelForecastList } from './fuel/forecasts.ts'
import { gasStationChanges } from './fuel/gas-station-changes.ts'
import { gasStationById } from './fuel/gas-station-detail.ts'
import { gasStationHistory } from './fuel/gas-station-history.ts'
import { gasStationStats } from './fuel/gas-station-stats.ts'
import { gasStationList } from './fuel/gas-stations.ts'
import { fuelHistory } from './fuel/series.ts'
import { fuelTrend } from './fuel/trend.ts'
import { corridorById, corridorList } from './mobility/corridors.ts'
import { countStationById, countStationList } from './mobility/count-stations.ts'
import { mobilityList } from './mobility/flows.ts'
import { imdList } from './mobility/imd.ts'
import { mobilityMatrix } from './mobility/od.ts'
import { zoneList } from './mobility/zones.ts'
import { alertById } from './rail/alert-detail.ts'
import { alertList } from './rail/alerts.ts'
import { nucleoList } from './rail/nucleos.ts'
import { pastAlertList } from './rail/past-alerts.ts'
import { railPunctuality } from './rail/punctuality.ts'
import { routeById } from './rail/route-detail.ts'
import { routeTimetable } from './rail/route-timetable.ts'
import { routeList } from './rail/routes.ts'
import { stationArrivals, stationDepartures } from './rail/station-board.ts'
import { stationById } from './rail/station-detail.ts'
import { stationList } from './rail/stations.ts'
import { railStockList } from './rail/stock.ts'
import { trainTrack } from './rail/train-track.ts'
import { trainById, trainList } from './rail/trains.ts'
import { cityHistory } from './road/city-history.ts'
import { citySensors } from './road/city-sensors.ts'
import { cityList } from './road/city-traffic.ts'
import { trafficForecastList } from './road/forecasts.ts'
import { roadPlaceList } from './road/geo-pk.ts'
import { incidentChanges } from './road/incident-changes.ts'
import { incidentById } from './road/incident-detail.ts'
import { incidentHistory } from './road/incident-history.ts'
import { incidentStats } from './road/incident-stats.ts'
import { incidentList } from './road/incidents.ts'
import { pastIncidentList } from './road/past-incidents.ts'
import { sensorHistory } from './road/sensor-history.ts'
import { sensorById, sensorList } from './road/sensors.ts'
import { trafficIntensity } from './road/traffic-intensity.ts'
import { v16List } from './road/v16.ts'
import { v16History } from './road/v16-history.ts'
import { v16Stats } from './road/v16-stats.ts'
import { worksList } from './road/works.ts'
import { accidentDictionary } from './safety/dictionary.ts'
import { hotspotDetail, hotspotList } from './safety/hotspots.ts'
import { accidentMicrodata } from './safety/microdata.ts'
import { riskByRoad, riskList } from './safety/risk.ts'
import { accidentStats } from './safety/stats.ts'
import { codeListList } from './service/codes.ts'
import { datasetCard } from './service/dataset-card.ts'
import { datasetQuality } from './service/dataset-quality.ts'
import { datasetSchema } from './service/dataset-schema.ts'
import { datasetList } from './service/datasets.ts'
import { freshnessList } from './service/freshness.ts'
import { modelCardList } from './service/model-cards.ts'
import { sourceList } from './service/sources.ts'
import { weatherHistory, weatherStationHistory } from './weather/history.ts'
import { weatherStationById, weatherStationList } from './weather/stations.ts'
import { drivingWeather } from './weather/weather.ts'

/** Every endpoint for data, in the order documentation shows them. */
export const endpoints: readonly Endpoint[] = Object.freeze([
  incidentList,
  incidentById,
  incidentHistory,
  incidentChanges,
  pastIncidentList,
  incidentStats,
  v16List,
  v16Stats,
  v16History,
  trafficIntensity,
  sensorList,
  sensorById,
  sensorHistory,
  cityList,
  citySensors,
  cityHistory,
  trafficForecastList,
  worksList,
  roadPlaceList,
  gasStationList,
  gasStationById,
  gasStationHistory,
  cheapestList,
  gasStationChanges,
  gasStationStats,
  fuelAverages,
  fuelHistory,
  fuelTrend,
  fuelForecastList,
  alertList,
  alertById,
  pastAlertList,
  railPunctuality,
  railStockList,
  trainList,
  trainById,
  trainTrack,
  stationList,
  stationById,
  stationDepartures,
  stationArrivals,
  routeList,
  routeById,
  routeTimetable,
  nucleoList,
  imdList,
  countStationList,
  countStationById,
  corridorList,
  corridorById,
  mobilityList,
  mobilityMatrix,
  zoneList,
  accidentMicrodata,
  accidentDictionary,
  accidentStats,
  hotspotList,
  hotspotDetail,
  riskList,
  riskByRoad,
  datasetList,
  datasetCard,
  datasetSchema,
  drivingWeather,
  weatherStationList,
  weatherStationById,
  weatherStationHistory,
  weatherHistory,
  datasetQuality,
  sourceList,
  freshnessList,
  codeListList,
  modelCardList,
])
