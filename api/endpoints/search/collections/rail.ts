import { railAlerts } from '../../../../lake/datasets/rail/alerts.ts'
import { RAIL_NETWORKS, RAIL_NUCLEOS, RENFE_NETWORKS } from '../../../../lake/datasets/rail/codes.ts'
import { railStock } from '../../../../lake/datasets/rail/stock.ts'
import { scan } from '../../../../lake/query/scan.ts'
import { sql } from '../../../../lake/query/sql.ts'
import { col } from '../../../../lake/schema/columns.ts'
import { defineCachedQuery } from '../../../kernel/reads/cached-query.ts'
import { type RailNetwork, railNetwork } from '../../rail/network.ts'
import { routesOf } from '../../rail/routes.ts'
import { type Station, stationRegister, stationsOf } from '../../rail/stations.ts'
import { defineCollection, joinParts } from '../collection.ts'

/** Approximate number of trips that stop at the busiest station. */
const MOST_STOPS = 3000

/** Trips of the newest timetables that stop at each station. */
function tripsByStation({ routes }: RailNetwork): ReadonlyMap<string, number> {
  const trips = new Map<string, number>()
  for (const route of routes.values()) for (const stop of route.stop_ids) trips.set(stop, (trips.get(stop) ?? 0) + route.trips)
  return trips
}

/** The kind of a station, by its trains: of several kinds, trains first. */
function kindOf({ lines, products }: Station): string {
  const types = new Set(lines.map(({ route_type }) => route_type))
  if (products.length > 0 || types.size === 0 || types.has('RAIL')) return 'Estación de tren'
  return types.has('METRO') ? 'Estación de metro' : types.has('TRAM') ? 'Parada de tranvía' : 'Estación'
}

export const railStationCollection = defineCollection({
  id: 'rail-stations',
  title: 'Railway stations',
  about: 'Stations of the railway, by name, town and code.',
  words:
    'estacion, estaciones, estacion de tren, estacion de trenes, tren, trenes, renfe, cercanias, rodalies, ave, ' +
    'apeadero, metro, estacion de metro, tranvia, ferrocarril, tren geltokia, train station, railway station, train, trains',
  weights: { title: 4.5, place: 2 },
  slices: { network: railNetwork, stations: stationRegister },
  detail: '/api/trenes/estaciones/{id}',
  documents: function* (_states, { network, stations }) {
    const trips = tripsByStation(network)
    for (const one of stationsOf(network, stations)) {
      const busy = Math.log(1 + (trips.get(one.id) ?? 0)) / Math.log(1 + MOST_STOPS)
      yield {
        id: one.id,
        title: one.name,
        subtitle: joinParts([kindOf(one), one.municipality]),
        codes: [one.id],
        exact: [one.id],
        text: [...one.lines.map(({ line }) => line), ...one.products],
        position: one.position,
        province_code: one.province_code,
        municipality_code: one.municipality_code,
        importance: one.in_service ? 0.35 + 0.6 * Math.min(1, busy) : 0.25,
      }
    }
  },
})

/** Approximate number of trips on the busiest route. */
const MOST_TRIPS = 1000

export const railRouteCollection = defineCollection({
  id: 'rail-routes',
  title: 'Railway routes',
  about: 'Railway routes with trips, by line, product and termini.',
  words: 'linea, lineas, ruta, rutas, linia, linea de tren, route',
  weights: { title: 2.5, codes: 5, text: 2.5 },
  slices: { network: railNetwork },
  detail: '/api/trenes/rutas/{id}',
  documents: function* (_states, { network }) {
    for (const one of routesOf(network)) {
      if (!one.in_service) continue
      const ends = [one.origin, one.destination].filter((end) => end !== null).join(' – ')
      const nucleo = one.nucleo_code === null ? null : (RAIL_NUCLEOS.codes[one.nucleo_code]?.es ?? null)
      const kind = RENFE_NETWORKS.includes(one.network) ? 'Tren' : (RAIL_NETWORKS.codes[one.network]?.es ?? 'Tren')
      yield {
        id: one.id,
        title: joinParts([one.line ?? one.product, ends], ' '),
        subtitle: nucleo === null ? kind : `Cercanías de ${nucleo}`,
        codes: [one.line ?? one.product, one.id],
        importance: 0.2 + 0.3 * Math.min(1, Math.log(1 + one.trips) / Math.log(1 + MOST_TRIPS)),
      }
    }
  },
})

export const railAlertCollection = defineCollection({
  id: 'rail-alerts',
  title: 'Railway alerts',
  about: 'Current railway notices, and late or cancelled trains.',
  words: 'aviso, avisos, alerta de tren, retraso, retrasos, avis, delay, rail alert',
  weights: { title: 1.5, codes: 2.5 },
  from: [railAlerts],
  detail: '/api/trenes/alertas/{id}',
  documents: function* ([state]) {
    for (const row of state.rows) {
      const text = row.text_es ?? (row.train_number === null ? null : `Tren ${row.train_number}`)
      if (text === null) continue
      yield {
        id: row.alert_id,
        title: text,
        subtitle: row.lines.join(', ') || null,
        codes: [row.train_number, ...row.lines],
        importance: row.derived ? 0.15 : 0.25,
      }
    }
  },
})

const STOCK_COLUMNS = {
  model: col.string(1, 'Model.'),
  series: col.string(2, 'Series.', { nullable: true }),
  purpose: col.string(3, 'What it is built for.'),
}

/** The train models in their last state. Its only key is the empty string. */
const trainModels = defineCachedQuery({
  name: 'models of trains',
  from: [railStock],
  read: async ({ all }) =>
    await all(
      sql`SELECT model, any_value(series) AS series, any_value(purpose) AS purpose FROM ${scan(railStock)} GROUP BY model ORDER BY model`,
      STOCK_COLUMNS,
    ),
})

export const stockCollection = defineCollection({
  id: 'rolling-stock',
  title: 'Rolling stock',
  about: "Renfe's train models, by series.",
  words: 'serie, material rodante, modelo de tren, rolling stock',
  slices: { models: trainModels },
  detail: '/api/trenes/flota?series={id}',
  documents: function* (_states, { models }) {
    for (const { model, series, purpose } of models) {
      // Without a series no request shows it.
      if (series === null) continue
      yield {
        id: model,
        link: series,
        title: model,
        subtitle: purpose,
        codes: [series],
        importance: 0.2,
      }
    }
  },
})
