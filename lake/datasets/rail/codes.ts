import { defineCodes } from '../../schema/codes.ts'

/** Networks of railways, metros and trams. Each has its own timetable; what is known of each is in `networks.ts`. */
export const RAIL_NETWORKS = defineCodes('rail_network', 'Network of the railway.', {
  CERCANIAS: ['Cercanías y Rodalies', 'Commuter trains'],
  AVLDMD: ['Alta velocidad, larga y media distancia', 'High-speed, long and medium distance'],
  FGC: ['Ferrocarrils de la Generalitat de Catalunya', 'Ferrocarrils de la Generalitat de Catalunya'],
  METRO_MADRID: ['Metro de Madrid', 'Madrid Metro'],
  METRO_LIGERO: ['Metro Ligero de Madrid', 'Madrid light rail'],
  METRO_MALAGA: ['Metro de Málaga', 'Málaga Metro'],
  METROVALENCIA: ['Metrovalencia', 'Valencia metro and tram'],
  TRAM_ALICANTE: ["TRAM d'Alacant", 'Alicante tram'],
  SFM: ['Tren y metro de Mallorca', 'Mallorca trains and metro'],
})

/** The networks whose timetables and trip updates Renfe publishes. */
export const RENFE_NETWORKS: readonly string[] = Object.freeze(['CERCANIAS', 'AVLDMD'])

/** Operators of trains. */
export const RAIL_OPERATORS = defineCodes('rail_operator', 'Company that operates the trains.', {
  RENFE: ['Renfe Viajeros', 'Renfe Viajeros'],
  FGC: ['Ferrocarrils de la Generalitat de Catalunya', 'Ferrocarrils de la Generalitat de Catalunya'],
  METRO_MADRID: ['Metro de Madrid', 'Metro de Madrid'],
  METRO_LIGERO_MADRID: ['Metros Ligeros de Madrid', 'Metros Ligeros de Madrid'],
  METRO_LIGERO_OESTE: ['Metro Ligero Oeste', 'Metro Ligero Oeste'],
  TRANVIA_PARLA: ['Tranvía de Parla', 'Tranvía de Parla'],
  METRO_MALAGA: ['Metro de Málaga', 'Metro de Málaga'],
  FGV: ['Ferrocarrils de la Generalitat Valenciana', 'Ferrocarrils de la Generalitat Valenciana'],
  SFM: ['Serveis Ferroviaris de Mallorca', 'Serveis Ferroviaris de Mallorca'],
})

/** The network whose trips get new ids every night. Only its train numbers are stable. */
export const LONG_DISTANCE = 'AVLDMD'

/** True if trains of a network are known by their line; long and medium distance by product. */
export function hasLines(network: string): boolean {
  return network !== LONG_DISTANCE
}

/** Kinds of alerts; the last two are derived from trip updates. */
export const RAIL_ALERT_KINDS = defineCodes('rail_alert_kind', 'Kind of railway alert.', {
  NOTICE: ['Aviso', 'Notice'],
  INFORMATION: ['Información', 'Information'],
  DELAY: ['Retraso de más de 5 minutos', 'More than 5 minutes late'],
  CANCELLED: ['Tren suprimido', 'Train cancelled'],
})

/** `Effect` of GTFS-Realtime. */
export const ALERT_EFFECTS = defineCodes('gtfs_alert_effect', 'Effect of an alert, as GTFS-Realtime names it.', {
  NO_SERVICE: ['Sin servicio', 'No service'],
  REDUCED_SERVICE: ['Servicio reducido', 'Reduced service'],
  SIGNIFICANT_DELAYS: ['Retrasos importantes', 'Significant delays'],
  DETOUR: ['Desvío', 'Detour'],
  ADDITIONAL_SERVICE: ['Servicio adicional', 'Additional service'],
  MODIFIED_SERVICE: ['Servicio modificado', 'Modified service'],
  OTHER_EFFECT: ['Otro efecto', 'Other effect'],
  UNKNOWN_EFFECT: ['Efecto desconocido', 'Unknown effect'],
  STOP_MOVED: ['Parada trasladada', 'Stop moved'],
  NO_EFFECT: ['Sin efecto', 'No effect'],
  ACCESSIBILITY_ISSUE: ['Problema de accesibilidad', 'Accessibility issue'],
})

/** `Cause` of GTFS-Realtime. */
export const ALERT_CAUSES = defineCodes('gtfs_alert_cause', 'Cause of an alert, as GTFS-Realtime names it.', {
  UNKNOWN_CAUSE: ['Causa desconocida', 'Unknown cause'],
  OTHER_CAUSE: ['Otra causa', 'Other cause'],
  TECHNICAL_PROBLEM: ['Problema técnico', 'Technical problem'],
  STRIKE: ['Huelga', 'Strike'],
  DEMONSTRATION: ['Manifestación', 'Demonstration'],
  ACCIDENT: ['Accidente', 'Accident'],
  HOLIDAY: ['Festivo', 'Holiday'],
  WEATHER: ['Meteorología', 'Weather'],
  MAINTENANCE: ['Mantenimiento', 'Maintenance'],
  CONSTRUCTION: ['Obras', 'Construction'],
  POLICE_ACTIVITY: ['Actuación policial', 'Police activity'],
  MEDICAL_EMERGENCY: ['Emergencia médica', 'Medical emergency'],
  SPECIAL_EVENT: ['Evento especial', 'Special event'],
})

/** `TripDescriptor.ScheduleRelationship` of GTFS-Realtime, in its spelling. */
export const TRIP_RELATIONSHIPS = defineCodes('gtfs_trip_relationship', 'How a live trip relates to the timetable.', {
  SCHEDULED: ['Según horario', 'Scheduled'],
  ADDED: ['Añadido', 'Added'],
  UNSCHEDULED: ['Sin horario', 'Unscheduled'],
  CANCELED: ['Suprimido', 'Cancelled'],
  REPLACEMENT: ['Sustituto', 'Replacement'],
  DUPLICATED: ['Duplicado', 'Duplicated'],
  DELETED: ['Retirado', 'Deleted'],
  NEW: ['Nuevo', 'New'],
})

/**
 * Relationships of trips that do not run. The standard hides deleted trips; here they are shown as cancelled, for waiting
 * passengers.
 */
export const CANCELLED_TRIPS: readonly string[] = Object.freeze(['CANCELED', 'DELETED'])

/** True if a trip is reported not to run. */
export function isCancelled({ schedule_relationship }: { readonly schedule_relationship: string | null }): boolean {
  return schedule_relationship !== null && CANCELLED_TRIPS.includes(schedule_relationship)
}

/** Running directions of FGC's trains, by the publisher's letter. */
export const TRAIN_DIRECTIONS = defineCodes('rail_train_direction', 'Running direction of a train, by the letter of its publisher.', {
  A: ['Ascendente', 'Up'],
  D: ['Descendente', 'Down'],
})

/** Coaches of FGC's trains, by the publisher's names. */
export const TRAIN_COACHES = defineCodes('rail_coach', 'Coach of a train, by the name of its publisher.', {
  M1: ['Coche M1', 'Coach M1'],
  MI: ['Coche MI', 'Coach MI'],
  RI: ['Coche RI', 'Coach RI'],
  M2: ['Coche M2', 'Coach M2'],
})

/** `VehicleStopStatus` of GTFS-Realtime. */
export const VEHICLE_STATUSES = defineCodes('gtfs_vehicle_status', 'Position of a train relative to its stop.', {
  INCOMING_AT: ['Llegando', 'Incoming'],
  STOPPED_AT: ['Parado', 'Stopped'],
  IN_TRANSIT_TO: ['En camino', 'In transit'],
})

/** Origin of a position. */
export const POSITION_SOURCES = defineCodes('rail_position_source', 'Origin of a train position.', {
  GPS: ['Satélite', 'Satellite fix'],
  STATION: ['Estación', 'Position of the station'],
})

/** Plausibility of a stated delay. */
export const DELAY_QUALITIES = defineCodes('rail_delay_quality', 'Whether a stated delay is plausible.', {
  OK: ['Verosímil', 'Plausible'],
  DOUBTFUL: ['Inverosímil', 'Beyond belief'],
})

/** `WheelchairAccessible` of GTFS-Realtime. */
export const WHEELCHAIR_ACCESS = defineCodes('gtfs_wheelchair_access', 'Whether a train can take a wheelchair.', {
  WHEELCHAIR_ACCESSIBLE: ['Accesible', 'Accessible'],
  WHEELCHAIR_INACCESSIBLE: ['No accesible', 'Not accessible'],
  NO_VALUE: ['Sin dato', 'No value'],
  UNKNOWN: ['Desconocido', 'Unknown'],
})

/** Commercial products of long and medium distance, the same codes in timetables and on the map. The map distinguishes fewer. */
export const RAIL_PRODUCTS = defineCodes('rail_product', 'Commercial product of a train.', {
  AVE: ['AVE', 'AVE high speed'],
  AVE_INT: ['AVE Internacional', 'AVE international high speed'],
  AVLO: ['Avlo', 'Avlo low-cost high speed'],
  AVANT: ['Avant', 'Avant medium-distance high speed'],
  AVANT_EXP: ['Avant Exprés', 'Avant express'],
  ALVIA: ['Alvia', 'Alvia'],
  EUROMED: ['Euromed', 'Euromed'],
  INTERCITY: ['Intercity', 'Intercity'],
  TRENCELTA: ['Trencelta', 'Trencelta to Portugal'],
  MD: ['Media Distancia', 'Medium distance'],
  REGIONAL: ['Regional', 'Regional'],
  PROXIMIDAD: ['Proximidad', 'Proximidad local trains'],
  REGIONAL_EXPRESS: ['Regional Exprés', 'Regional express'],
})

/** How a commuter train moves, by the codes of Renfe's map. */
export const RAIL_MOVEMENTS = defineCodes('rail_movement', "How a train moves, by the code of Renfe's map.", {
  STANDING: ['Parado en una estación (A)', 'Standing at a station (A)'],
  RUNNING: ['En marcha (E, o parte del tramo recorrida)', 'Running (E, or a share of the section)'],
  RUNNING_S: ['Entre estaciones (S, sin documentar)', 'Between stations (S, undocumented)'],
})

/** Kinds of service on a route. */
export const RAIL_ROUTE_TYPES = defineCodes('rail_route_type', 'Kind of service on a route.', {
  RAIL: ['Tren', 'Train'],
  METRO: ['Metro', 'Metro'],
  TRAM: ['Tranvía o metro ligero', 'Tram or light rail'],
  FUNICULAR: ['Funicular', 'Funicular'],
  CABLE_TRAM: ['Tranvía de cable', 'Cable tram'],
  MONORAIL: ['Monorraíl', 'Monorail'],
  BUS: ['Autobús', 'Bus'],
})

/** Boarding and alighting rules at a stop. */
export const RAIL_STOP_USES = defineCodes('rail_stop_use', 'Whether travellers can board or alight at a stop of a trip.', {
  REGULAR: ['Sin aviso', 'Regularly'],
  NONE: ['No se permite', 'Not at all'],
  PHONE_AGENCY: ['Con aviso a la operadora', 'After a call to the operator'],
  ASK_DRIVER: ['Con aviso al personal del tren', 'After asking the train crew'],
})

/** Renfe's names of its commuter networks, by the first two characters of their ids. */
export const RAIL_NUCLEOS = defineCodes('rail_nucleo', 'Commuter network (núcleo), by the code at the start of its ids.', {
  '10': ['Madrid', 'Madrid'],
  '20': ['Asturias', 'Asturias'],
  '30': ['Sevilla', 'Seville'],
  '31': ['Cádiz', 'Cádiz'],
  '32': ['Málaga', 'Málaga'],
  '40': ['Valencia', 'Valencia'],
  '41': ['Murcia y Alicante', 'Murcia and Alicante'],
  '45': ['Cartagena, vía métrica', 'Cartagena, metre gauge'],
  '46': ['Ferrol, vía métrica', 'Ferrol, metre gauge'],
  '47': ['León, vía métrica', 'León, metre gauge'],
  '51': ['Rodalies de Catalunya', 'Rodalies de Catalunya'],
  '60': ['Bilbao', 'Bilbao'],
  '61': ['San Sebastián', 'San Sebastián'],
  '62': ['Santander', 'Santander'],
  '70': ['Zaragoza', 'Zaragoza'],
  '90': ['Cercedilla–Cotos', 'Cercedilla–Cotos'],
})

/** Countries of Renfe's stations, by ISO 3166 code. */
export const RAIL_COUNTRIES = defineCodes('rail_country', 'Country of a station.', {
  ES: ['España', 'Spain'],
  FR: ['Francia', 'France'],
  PT: ['Portugal', 'Portugal'],
})

/** Uses of rolling stock, as Renfe groups them. */
export const RAIL_STOCK_TYPES = defineCodes('rail_stock_type', 'Use that rolling stock is built for.', {
  HIGH_SPEED: ['Alta velocidad', 'High speed'],
  LONG_DISTANCE: ['Larga distancia', 'Long distance'],
  MEDIUM_DISTANCE_HIGH_SPEED: ['Media distancia de alta velocidad', 'Medium distance at high speed'],
  MEDIUM_DISTANCE: ['Media distancia', 'Medium distance'],
  COMMUTER_MEDIUM_DISTANCE: ['Cercanías y media distancia', 'Commuter and medium distance'],
  COMMUTER: ['Cercanías', 'Commuter'],
  FREIGHT: ['Mercancías', 'Freight'],
})

/** Parts of a timetable that can change between versions. */
export const TIMETABLE_PARTS = defineCodes('timetable_part', 'Part of a timetable that has changed.', {
  STATION: ['Estación', 'Station'],
  ROUTE: ['Ruta', 'Route'],
  LINE: ['Línea o producto', 'Line or product'],
  TRIP: ['Tren y los días en que circula', 'Train and the days on which it runs'],
})

/** Kinds of change; the last two are for trains, since their days are published ahead to different ends. */
export const TIMETABLE_CHANGES = defineCodes('timetable_change', 'Kind of change in a timetable.', {
  ADDED: ['Nuevo', 'Added'],
  GONE: ['Suprimido', 'Gone'],
  EXTENDED: ['Publicado por más tiempo', 'Published further ahead'],
  SHORTENED: ['Termina antes', 'Ends sooner'],
})
