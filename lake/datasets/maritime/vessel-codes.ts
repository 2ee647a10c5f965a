import { defineCodes } from '../../schema/codes.ts'

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
