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

/** Whether a flight departs from an airport or arrives at it. */
export const FLIGHT_DIRECTIONS = defineCodes('flight_direction', 'Whether a flight departs from the airport or arrives at it.', {
  DEPARTURE: ['Salida', 'Departure'],
  ARRIVAL: ['Llegada', 'Arrival'],
})

/** State of a flight, as its airport displays it. */
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

/** Source that gives the cause of a delay. */
export const CAUSE_SOURCES = defineCodes('cause_source', 'Source that shows the cause of a delay.', {
  EUROCONTROL: ['Regulación del tráfico de llegada en ese día', 'Regulation of arrivals on that day'],
  METAR: ['Observación meteorológica del aeropuerto', 'Weather report of the airport'],
})

/** Sky cover of a METAR (WMO-No. 306, FM 15). */
export const SKY_COVERS = defineCodes('sky_cover', 'Greatest cover of the sky in a METAR, or the word for a sky without clouds.', {
  CAVOK: ['Sin nubes significativas y visibilidad de 10 km o más', 'No significant clouds, visibility 10 km or more'],
  SKC: ['Despejado', 'Sky clear'],
  CLR: ['Sin nubes detectadas', 'No clouds detected'],
  NCD: ['Sin nubes detectadas (estación automática)', 'No clouds detected (automatic station)'],
  NSC: ['Sin nubes significativas', 'No significant clouds'],
  FEW: ['Escasas (1 a 2 octas)', 'Few (1 to 2 oktas)'],
  SCT: ['Dispersas (3 a 4 octas)', 'Scattered (3 to 4 oktas)'],
  BKN: ['Abundantes (5 a 7 octas)', 'Broken (5 to 7 oktas)'],
  OVC: ['Cubierto (8 octas)', 'Overcast (8 oktas)'],
  OVX: ['Cielo oscurecido', 'Sky obscured'],
})

/** Flight category by ceiling and visibility. */
export const FLIGHT_CATEGORIES = defineCodes('flight_category', 'Flight category of an airport by ceiling and visibility.', {
  VFR: [
    'Visual: techo superior a 3.000 ft y visibilidad superior a 5 millas',
    'Visual: ceiling above 3,000 ft and visibility above 5 miles',
  ],
  MVFR: ['Visual marginal', 'Marginal visual'],
  IFR: [
    'Instrumental: techo inferior a 1.000 ft o visibilidad inferior a 3 millas',
    'Instrument: ceiling below 1,000 ft or visibility below 3 miles',
  ],
  LIFR: [
    'Instrumental baja: techo inferior a 500 ft o visibilidad inferior a 1 milla',
    'Low instrument: ceiling below 500 ft or visibility below 1 mile',
  ],
})

/** Weather at an airport that makes flights late. */
export const AIRPORT_CONDITIONS = defineCodes('airport_condition', 'Weather at an airport that makes flights late.', {
  LOW_VISIBILITY: ['Visibilidad inferior a 1.500 m', 'Visibility below 1,500 m'],
  LOW_CEILING: ['Techo de nubes inferior a 150 m', 'Ceiling below 150 m'],
  STRONG_WIND: ['Viento de 12,9 m/s (25 kt) o rachas de 17,2 m/s o más', 'Wind of 12.9 m/s (25 kt) or gusts of 17.2 m/s or more'],
  THUNDERSTORM: ['Tormenta', 'Thunderstorm'],
  SNOW: ['Nieve', 'Snow'],
  FREEZING: ['Precipitación o niebla engelante', 'Freezing precipitation or fog'],
})

/** Causes of regulations. EUROCONTROL's column names end in their letters. */
export const ATFM_CAUSES = defineCodes('atfm_cause', 'Cause of an air traffic flow management (ATFM) delay.', {
  ACCIDENT: ['Accidente o incidente', 'Accident or incident'],
  ATC_CAPACITY: ['Capacidad de control', 'ATC capacity'],
  DE_ICING: ['Deshielo', 'De-icing'],
  EQUIPMENT_NON_ATC: ['Equipos ajenos al control', 'Equipment, not of ATC'],
  AERODROME_CAPACITY: ['Capacidad del aeródromo', 'Aerodrome capacity'],
  INDUSTRIAL_ACTION_ATC: ['Huelga de control', 'Industrial action, ATC'],
  AIRSPACE_MANAGEMENT: ['Gestión del espacio aéreo', 'Airspace management'],
  INDUSTRIAL_ACTION_NON_ATC: ['Huelga ajena al control', 'Industrial action, not of ATC'],
  OTHER: ['Otras', 'Other'],
  SPECIAL_EVENT: ['Acontecimiento especial', 'Special event'],
  ATC_ROUTEING: ['Encaminamiento', 'ATC routeing'],
  ATC_STAFFING: ['Personal de control', 'ATC staffing'],
  ATC_EQUIPMENT: ['Equipos de control', 'ATC equipment'],
  ENVIRONMENT: ['Medio ambiente', 'Environmental issues'],
  WEATHER: ['Meteorología', 'Weather'],
  NOT_SPECIFIED: ['Sin especificar', 'Not specified'],
})

/** Entity types of en-route figures. */
export const ENROUTE_ENTITY_TYPES = defineCodes('enroute_entity_type', 'Type of the entity that en-route figures describe.', {
  ANSP: ['Proveedor de navegación aérea', 'Air navigation service provider'],
  FIR: ['Regiones de información de vuelo de un país', 'Flight information regions of a country'],
})

/** Emitter categories of aircraft and vehicles (DO-260B). */
export const AIRCRAFT_CATEGORIES = defineCodes('aircraft_category', 'Emitter category of an aircraft or vehicle (DO-260B).', {
  A0: ['Sin categoría (avión)', 'No category (aircraft)'],
  A1: ['Ligero: menos de 7 t', 'Light: under 7 t'],
  A2: ['Pequeño: de 7 a 34 t', 'Small: 7 to 34 t'],
  A3: ['Grande: de 34 a 136 t', 'Large: 34 to 136 t'],
  A4: ['Grande con estela fuerte (B757)', 'Large with a strong vortex (B757)'],
  A5: ['Pesado: más de 136 t', 'Heavy: over 136 t'],
  A6: ['Altas prestaciones: más de 5 g y 400 kt', 'High performance: over 5 g and 400 kt'],
  A7: ['Helicóptero', 'Rotorcraft'],
  B0: ['Sin categoría (otra aeronave)', 'No category (other aircraft)'],
  B1: ['Planeador', 'Glider'],
  B2: ['Globo o dirigible', 'Balloon or airship'],
  B3: ['Paracaidista', 'Parachutist'],
  B4: ['Ultraligero o parapente', 'Ultralight or paraglider'],
  B6: ['Aeronave no tripulada', 'Unmanned aircraft'],
  B7: ['Vehículo espacial', 'Space vehicle'],
  C0: ['Sin categoría (superficie)', 'No category (surface)'],
  C1: ['Vehículo de emergencia', 'Emergency vehicle'],
  C2: ['Vehículo de servicio', 'Service vehicle'],
  C3: ['Obstáculo puntual', 'Point obstacle'],
  C4: ['Grupo de obstáculos', 'Cluster of obstacles'],
  C5: ['Línea de obstáculos', 'Line of obstacles'],
})

/** How positions of aircraft are obtained. */
export const AIRCRAFT_POSITION_SOURCES = defineCodes('aircraft_position_source', 'How the position of an aircraft was obtained.', {
  ADSB: ['ADS-B del propio avión', "The aircraft's own ADS-B"],
  ADSR: ['ADS-B retransmitido por tierra', 'ADS-B rebroadcast from the ground'],
  ADSC: ['ADS-C por satélite', 'ADS-C by satellite'],
  MLAT: ['Multilateración', 'Multilateration'],
  TISB: ['TIS-B: radar, retransmitido por tierra', 'TIS-B: radar, broadcast from the ground'],
  MODE_S: ['Modo S', 'Mode S'],
  ASTERIX: ['Radar (ASTERIX)', 'Radar (ASTERIX)'],
  FLARM: ['FLARM', 'FLARM'],
  OTHER: ['Otro', 'Other'],
})

/** Emergencies that aircraft report. */
export const AIRCRAFT_EMERGENCIES = defineCodes('aircraft_emergency', 'Emergency that an aircraft reports.', {
  GENERAL: ['Emergencia general', 'General emergency'],
  MEDICAL: ['Emergencia médica', 'Medical emergency'],
  MINIMUM_FUEL: ['Combustible mínimo', 'Minimum fuel'],
  NO_RADIO: ['Sin comunicaciones', 'No communications'],
  UNLAWFUL_INTERFERENCE: ['Interferencia ilícita', 'Unlawful interference'],
  DOWNED: ['Aeronave accidentada', 'Downed aircraft'],
  RESERVED: ['Código reservado por la norma', 'Code reserved by the standard'],
})
