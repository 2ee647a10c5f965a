import { defineCodes } from '../../schema/codes.ts'

/** Kinds of airports, as OurAirports grades them. */
export const AIRPORT_TYPES = defineCodes('airport_type', 'Kind of airport.', {
  LARGE_AIRPORT: ['Aeropuerto grande', 'Large airport'],
  MEDIUM_AIRPORT: ['Aeropuerto mediano', 'Medium airport'],
  SMALL_AIRPORT: ['Aeropuerto pequeño', 'Small airport'],
  HELIPORT: ['Helipuerto', 'Heliport'],
  SEAPLANE_BASE: ['Base de hidroaviones', 'Seaplane base'],
  BALLOONPORT: ['Aeropuerto de globos', 'Balloon port'],
})

/** Whether a flight leaves an airport or comes to it. */
export const FLIGHT_DIRECTIONS = defineCodes('flight_direction', 'Whether a flight departs from the airport or arrives at it.', {
  DEPARTURE: ['Salida', 'Departure'],
  ARRIVAL: ['Llegada', 'Arrival'],
})

/** What a flight is doing, as its airport shows it. */
export const FLIGHT_STATES = defineCodes('flight_state', 'State of a flight at its airport.', {
  SCHEDULED: ['Programado', 'Scheduled'],
  ON_TIME: ['En hora', 'On time'],
  DELAYED: ['Retrasado', 'Delayed'],
  BOARDING: ['Embarcando', 'Boarding'],
  LAST_CALL: ['Última llamada', 'Last call'],
  GATE_CLOSED: ['Puerta cerrada', 'Gate closed'],
  DEPARTED: ['Ha salido', 'Departed'],
  EN_ROUTE: ['En vuelo', 'En route'],
  ON_APPROACH: ['En aproximación', 'On approach'],
  LANDED: ['Ha aterrizado', 'Landed'],
  ARRIVED: ['Ha llegado al puesto', 'Arrived at the stand'],
  CANCELLED: ['Cancelado', 'Cancelled'],
  DIVERTED: ['Desviado a otro aeropuerto', 'Diverted to another airport'],
})
