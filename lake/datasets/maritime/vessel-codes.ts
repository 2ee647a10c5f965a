import { defineCodes } from '../../schema/codes.ts'

/** Kinds of vessel, by the type of ship and cargo of ITU-R M.1371. */
export const VESSEL_TYPES = defineCodes('vessel_type', 'Kind of vessel, by its AIS type of ship and cargo.', {
  CARGO: ['Carguero', 'Cargo ship'],
  TANKER: ['Buque cisterna', 'Tanker'],
  PASSENGER: ['Buque de pasaje', 'Passenger ship'],
  HIGH_SPEED: ['Embarcación de alta velocidad', 'High-speed craft'],
  FISHING: ['Pesquero', 'Fishing vessel'],
  TUG: ['Remolcador', 'Tug or towing vessel'],
  PILOT: ['Embarcación de prácticos', 'Pilot vessel'],
  SEARCH_AND_RESCUE: ['Salvamento', 'Search and rescue vessel'],
  LAW_ENFORCEMENT: ['Vigilancia', 'Law enforcement vessel'],
  MILITARY: ['Buque militar', 'Military vessel'],
  DREDGER: ['Draga u obras submarinas', 'Dredging or underwater operations'],
  DIVING: ['Apoyo a buceo', 'Diving operations'],
  PORT_TENDER: ['Embarcación de servicio portuario', 'Port tender'],
  ANTI_POLLUTION: ['Lucha contra la contaminación', 'Anti-pollution vessel'],
  MEDICAL: ['Transporte médico', 'Medical transport'],
  WING_IN_GROUND: ['Ala en efecto suelo', 'Wing-in-ground craft'],
  OTHER: ['Otro tipo', 'Other type'],
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
