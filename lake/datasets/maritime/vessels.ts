import { defineCodes } from '../../schema/codes.ts'
import { col, orNull } from '../../schema/columns.ts'
import { day } from '../../schema/dataset.ts'
import { maritimeDataset } from '../domains.ts'
import { aisReceivers, aisstream } from './sources.ts'

/** Kinds of vessel, by the type of ship and cargo of ITU-R M.1371. */
export const VESSEL_TYPES = defineCodes('vessel_type', 'Kind of vessel, by its AIS type of ship and cargo.', {
  CARGO: ['Carguero', 'Cargo ship', 'Vaixell de càrrega', 'Zamaontzia', 'Cargueiro'],
  TANKER: ['Buque cisterna', 'Tanker', 'Vaixell cisterna', 'Zisterna-ontzia', 'Buque cisterna'],
  PASSENGER: ['Buque de pasaje', 'Passenger ship', 'Vaixell de passatge', 'Bidaiari-ontzia', 'Buque de pasaxe'],
  HIGH_SPEED: [
    'Embarcación de alta velocidad',
    'High-speed craft',
    "Embarcació d'alta velocitat",
    'Abiadura handiko ontzia',
    'Embarcación de alta velocidade',
  ],
  FISHING: ['Pesquero', 'Fishing vessel', 'Vaixell de pesca', 'Arrantza-ontzia', 'Pesqueiro'],
  TUG: ['Remolcador', 'Tug or towing vessel', 'Remolcador', 'Atoiontzia', 'Remolcador'],
  PILOT: ['Embarcación de prácticos', 'Pilot vessel', 'Embarcació de pràctics', 'Praktikoen ontzia', 'Embarcación de prácticos'],
  SEARCH_AND_RESCUE: ['Salvamento', 'Search and rescue vessel', 'Salvament', 'Salbamendu-ontzia', 'Salvamento'],
  LAW_ENFORCEMENT: ['Vigilancia', 'Law enforcement vessel', 'Vigilància', 'Zaintza-ontzia', 'Vixilancia'],
  MILITARY: ['Buque militar', 'Military vessel', 'Vaixell militar', 'Ontzi militarra', 'Buque militar'],
  DREDGER: [
    'Draga u obras submarinas',
    'Dredging or underwater operations',
    'Draga o obres submarines',
    'Draga edo itsaspeko lanak',
    'Draga ou obras submarinas',
  ],
  DIVING: ['Apoyo a buceo', 'Diving operations', 'Suport a la immersió', 'Urpekaritzarako laguntza', 'Apoio ao mergullo'],
  PORT_TENDER: [
    'Embarcación de servicio portuario',
    'Port tender',
    'Embarcació de servei portuari',
    'Portu-zerbitzuko ontzia',
    'Embarcación de servizo portuario',
  ],
  ANTI_POLLUTION: [
    'Lucha contra la contaminación',
    'Anti-pollution vessel',
    'Lluita contra la contaminació',
    'Kutsaduraren aurkako ontzia',
    'Loita contra a contaminación',
  ],
  MEDICAL: ['Transporte médico', 'Medical transport', 'Transport mèdic', 'Garraio medikoa', 'Transporte médico'],
  WING_IN_GROUND: ['Ala en efecto suelo', 'Wing-in-ground craft', "Nau d'efecte sòl", 'Lur-efektuko ontzia', 'Nave de efecto chan'],
  OTHER: ['Otro tipo', 'Other type', 'Un altre tipus', 'Beste mota bat', 'Outro tipo'],
})

/** Navigational status of a vessel, as entered by its crew. */
export const NAVIGATION_STATUSES = defineCodes('navigation_status', 'Navigational status, as the crew enters it.', {
  UNDER_WAY_ENGINE: ['En navegación a motor', 'Under way using engine'],
  AT_ANCHOR: ['Fondeado', 'At anchor'],
  NOT_UNDER_COMMAND: ['Sin gobierno', 'Not under command'],
  RESTRICTED_MANOEUVRABILITY: ['Capacidad de maniobra restringida', 'Restricted manoeuvrability'],
  CONSTRAINED_BY_DRAUGHT: ['Restringido por su calado', 'Constrained by her draught'],
  MOORED: ['Atracado', 'Moored'],
  AGROUND: ['Varado', 'Aground'],
  FISHING: ['Dedicado a la pesca', 'Engaged in fishing'],
  UNDER_WAY_SAILING: ['Navegando a vela', 'Under way sailing'],
  TOWING_ASTERN: ['Remolcando por popa', 'Towing astern'],
  PUSHING: ['Empujando o remolcando abarloado', 'Pushing ahead or towing alongside'],
  OTHER: ['Otro estado', 'Another status'],
})

/** Classes of AIS stations on vessels. */
export const AIS_CLASSES = defineCodes('ais_class', 'Class of the AIS station on board.', {
  A: ['Clase A, obligatoria en buques mayores', 'Class A, mandatory on larger ships'],
  B: ['Clase B', 'Class B'],
})

const NONE = { nullable: true } as const

/** Vessels as they describe themselves, one row per state. A vessel missing from a source keeps its state. */
export const vessels = maritimeDataset({
  id: 'vessels',
  title: 'Vessels',
  about:
    'Vessels as their AIS stations describe them: name, call sign, IMO number, type, dimensions and voyage. The crew enters these values. Pleasure and sailing craft are excluded.',
  sources: [aisReceivers, aisstream],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'ais_receivers' }),
    mmsi: col.string(2, 'Maritime Mobile Service Identity, nine digits.', { example: '224123450' }),
    observed_at: col.instant(3, 'End of the minute in which this state was received.', { example: '2026-08-27T05:41:00.000Z' }),
    name: col.string(4, 'Name of the vessel.', orNull('EXAMPLE STAR')),
    callsign: col.string(5, 'Radio call sign.', orNull('EAXY')),
    imo_number: col.string(6, 'IMO number; null if none is sent or its check digit is wrong.', orNull('9074729')),
    vessel_type: col.code(7, 'Kind of vessel; null if not stated.', VESSEL_TYPES, orNull('CARGO')),
    ais_type: col.integer(8, 'Type of ship and cargo as sent, by ITU-R M.1371.', { ...NONE, unit: '1', example: 71, min: 1, max: 99 }),
    ais_class: col.code(9, 'Class of its AIS station.', AIS_CLASSES, { example: 'A' }),
    length_m: col.integer(10, 'Length.', { ...NONE, unit: 'm', example: 194, min: 1, max: 1022 }),
    beam_m: col.integer(11, 'Beam.', { ...NONE, unit: 'm', example: 32, min: 1, max: 126 }),
    draught_m: col.decimal(12, 'Greatest present draught; 25.5 means that or more.', {
      ...NONE,
      scale: 1,
      unit: 'm',
      example: 11.4,
      min: 0,
      max: 25.5,
    }),
    destination: col.string(13, 'Destination as entered by the crew, in any form.', orNull('ALGECIRAS')),
  },
  entity: ['source', 'mmsi'],
  time: 'observed_at',
  writeMode: 'changes',
  order: ['mmsi', 'source', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
/** A position older than this is not current, ms. Vessels at anchor report every three minutes. */
const CURRENT_FOR_MS = 30 * 60_000

/**
 * Vessel positions: the last report of each vessel, source and minute, plus reports at which it turned or changed speed. Volume:
 * 2,000 vessels give about three million rows a day. Days older than `keep` are deleted.
 */
export const vesselPositions = maritimeDataset({
  id: 'vessel_positions',
  title: 'Positions of vessels',
  about:
    'Position, speed, course and status of vessels from AIS: the last report of each minute, plus reports at which a vessel turned by 10 degrees or changed speed by 2 knots. Kept for 7 days. Pleasure and sailing craft are excluded.',
  sources: [aisReceivers, aisstream],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'ais_receivers' }),
    mmsi: col.string(2, 'Maritime Mobile Service Identity of the vessel, nine digits.', { example: '224123450' }),
    observed_at: col.instant(3, 'Time of the position: when it was received, with the second that the vessel states.', {
      example: '2026-08-27T05:40:33.000Z',
    }),
    position: col.point([4, 5], 'Where it is.', { example: { lat: 36.1312, lon: -5.4412 } }),
    is_accurate: col.boolean(6, 'True if the position is accurate to 10 m.', { example: true }),
    speed_kn: col.float(7, 'Speed over ground in knots; 102.2 means that or more.', {
      ...NONE,
      unit: '[kn_i]',
      example: 14.2,
      min: 0,
      max: 102.2,
    }),
    course_deg: col.float(8, 'Course over ground from true north.', { ...NONE, unit: 'deg', example: 271.3, min: 0, max: 359.9 }),
    heading_deg: col.integer(9, 'True heading.', { ...NONE, unit: 'deg', example: 270, min: 0, max: 359 }),
    rate_of_turn_deg_min: col.float(10, 'Rate of turn, to starboard; negative to port.', {
      ...NONE,
      unit: 'deg/min',
      example: 0,
      min: -720,
      max: 720,
    }),
    navigation_status: col.code(11, 'Navigational status; null if not stated.', NAVIGATION_STATUSES, orNull('UNDER_WAY_ENGINE')),
    ais_class: col.code(12, 'Class of its AIS station.', AIS_CLASSES, { example: 'A' }),
  },
  entity: ['source', 'mmsi'],
  time: 'observed_at',
  writeMode: 'append',
  currentFor_ms: CURRENT_FOR_MS,
  keep: '7d',
  partition: [day('observed_at')],
  order: ['mmsi', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
