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
