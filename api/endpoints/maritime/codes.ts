import { defineCodes } from '../../../lake/schema/codes.ts'

/** Lists of ports. */
export const PORT_LISTINGS = defineCodes('port_listing', 'List that a port is in.', {
  WORLD_PORT_INDEX: ['World Port Index', 'World Port Index'],
  PORT_LIST: ['Lista de puertos de este servicio', "This service's list of ports"],
  FERRY_TIMETABLE: ['Horario de un transbordador', 'Timetable of a ferry'],
})

/** Role of a port on a ferry route. */
export const PORT_ROLES = defineCodes('ferry_port_role', 'Role of a port on a ferry route.', {
  ORIGIN: ['Origen', 'Origin'],
  CALL: ['Escala', 'Port of call'],
  DESTINATION: ['Destino', 'Destination'],
})

/** Seasons of three whole months, as meteorology has them. */
export const SEASONS = defineCodes('season', 'Season of three whole months.', {
  WINTER: ['Invierno (diciembre a febrero)', 'Winter (December to February)'],
  SPRING: ['Primavera (marzo a mayo)', 'Spring (March to May)'],
  SUMMER: ['Verano (junio a agosto)', 'Summer (June to August)'],
  AUTUMN: ['Otoño (septiembre a noviembre)', 'Autumn (September to November)'],
})
