import { defineDomain } from '../../kernel/domain.ts'
import { alertById, alertList, pastAlertList } from './alerts.ts'
import { nucleoList } from './nucleos.ts'
import { railPunctuality } from './punctuality.ts'
import { routeTimetable } from './route-timetable.ts'
import { routeById, routeList } from './routes.ts'
import { stationArrivals, stationDepartures } from './station-board.ts'
import { stationById, stationList } from './stations.ts'
import { railStockList } from './stock.ts'
import { trainTracks } from './train-tracks.ts'
import { trainById, trainList, trainTrack } from './trains.ts'

/** Endpoints about trains, in the order in which documentation shows them. */
export const rail = defineDomain({
  id: 'rail',
  title: { es: 'Trenes', en: 'Trains' },
  endpoints: [
    ...[alertList, alertById, pastAlertList, railPunctuality, railStockList],
    ...[trainList, trainById, trainTrack, trainTracks],
    ...[stationList, stationById, stationDepartures, stationArrivals],
    ...[routeList, routeById, routeTimetable, nucleoList],
  ],
})
