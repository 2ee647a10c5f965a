import { RAIL_PRODUCTS } from '../../../lake/datasets/rail/codes.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import type { Column } from '../../../lake/schema/columns.ts'
import { maybe } from '../../kernel/fields.ts'

/** Status of a train at a station. */
export const BOARD_STATUSES = defineCodes('rail_board_status', 'Status of a train at a station.', {
  SCHEDULED: ['Previsto', 'Expected, on time or late'],
  CANCELLED: ['Tren suprimido', 'Train cancelled'],
  SKIPPED: ['No para aquí', 'The train runs but does not stop here'],
  DEPARTED: ['Ha salido', 'Has left'],
  ARRIVED: ['Ha llegado', 'Has arrived'],
  ADDED: ['Tren añadido, fuera del horario', 'Added train, not in the timetable'],
})

/** Source of a delay. */
export const DELAY_SOURCES = defineCodes('rail_delay_source', 'Source of the delay of a train.', {
  TRIP_UPDATE: ['Últimas actualizaciones de viaje, datos abiertos', 'Newest trip updates, open data'],
  LAST_KNOWN: ['Actualizaciones de viaje anteriores: las últimas ya no lo traen', 'Earlier trip updates: the newest lack it'],
  MAP: ['Mapa de trenes, sin licencia declarada', 'Map of trains, no licence stated'],
})

/** Sources of a route's geometry. */
export const GEOMETRY_SOURCES = defineCodes('rail_geometry_source', 'Source of the geometry of a route.', {
  SHAPE: ['Trazado publicado', 'Published track'],
  SHAPE_AND_STATIONS: [
    'Trazado publicado y, donde no pasa por sus estaciones, líneas rectas entre ellas',
    'Published track, with straight lines between stations that it does not pass',
  ],
  STATIONS: ['Líneas rectas entre sus estaciones', 'Straight lines between its stations'],
})

/** Scope of an alert relative to a thing. */
export const ALERT_SCOPES = defineCodes('rail_alert_scope', 'Scope of an alert relative to a thing.', {
  STATION: ['La estación', 'The station'],
  ROUTE: ['La ruta', 'The route'],
  LINE: ['Una de sus líneas', 'One of its lines'],
})

/** The commercial product of trains, as every record has it. */
export function productField(about: string): Column<string | null> {
  return maybe.code(about, RAIL_PRODUCTS, null)
}

/** The last service day of a timetable. */
export function timetableUntil(whose: string): Column<string | null> {
  return maybe.date(
    `Last service day of the newest timetable of ${whose}. Before today the publisher only has an expired one: boards and timetables of today are then refused.`,
    '2026-09-21',
  )
}
