import type { INCIDENT_TYPES, ROAD_DIRECTIONS, SEVERITIES } from '../../../lake/datasets/road/codes.ts'
import type { INCIDENT_CAUSES, MEASURE_KINDS } from '../../../lake/datasets/road/incident-codes.ts'
import { foldName } from '../../../lake/places/names.ts'

type CodeOf<L extends { readonly codes: object }> = keyof L['codes'] & string
type Table<L extends { readonly codes: object }> = Readonly<Record<string, CodeOf<L>>>
type IncidentType = CodeOf<typeof INCIDENT_TYPES>

/** Incident types by `tipus`. Used only if the cause implies no type: floods and landslides are published as works. */
export const TYPES: Table<typeof INCIDENT_TYPES> = { '2': 'CONGESTION', '3': 'ROADWORKS', '4': 'RESTRICTION', '5': 'WEATHER' }

/**
 * The cause of a `causa` text, and the type it implies; null if `tipus` decides. Covers the 37 texts of the capture of
 * February 2026 and those known from other months. Works are as detailed as our code list.
 */
export const CAUSES: Readonly<Record<string, readonly [cause: CodeOf<typeof INCIDENT_CAUSES>, type: IncidentType | null]>> = {
  Accident: ['ACCIDENT', 'ACCIDENT'],
  Avaria: ['BROKEN_DOWN_VEHICLE', 'BREAKDOWN'],
  'Retirada de vehicle': ['STOPPED_VEHICLE', 'BREAKDOWN'],
  'Regulació trànsit': ['TRAFFIC_MANAGEMENT', null],
  // The traffic state is in `descripcio`: see EFFECTS.
  Circulació: ['ABNORMAL_TRAFFIC', null],
  'Cancel·lació carril ràpid': ['TRAFFIC_MANAGEMENT', 'RESTRICTION'],
  Despreniments: ['ROCKFALL', 'OBSTACLE'],
  Esllavissada: ['LANDSLIDE', 'OBSTACLE'],
  Inundacions: ['FLOODING', 'OBSTACLE'],
  Neu: ['SNOW', 'WEATHER'],
  Obres: ['ROADWORKS', 'ROADWORKS'],
  'Obres en general': ['ROADWORKS', 'ROADWORKS'],
  'Canalització de fibra': ['ROADWORKS', 'ROADWORKS'],
  // Spelt so.
  'Insatal·lació i/o desmuntatge de pòrtics': ['ROADWORKS', 'ROADWORKS'],
  'Instal·lació de pòrtics': ['ROADWORKS', 'ROADWORKS'],
  "Treballs d'enllumenat": ['MAINTENANCE', 'ROADWORKS'],
  'Col·locació o substitució barrera': ['ROADWORKS', 'ROADWORKS'],
  'Encreuament subterrani': ['ROADWORKS', 'ROADWORKS'],
  'Estabilització de talús': ['ROADWORKS', 'ROADWORKS'],
  "Instal·lació d'espires": ['ROADWORKS', 'ROADWORKS'],
  'Millora de senyalització': ['ROADWORKS', 'ROADWORKS'],
  'Senyalització vertical': ['ROADWORKS', 'ROADWORKS'],
  Sondejos: ['ROADWORKS', 'ROADWORKS'],
  'Ampliació al tercer carril': ['CONSTRUCTION', 'ROADWORKS'],
  'Ampliació calçada': ['CONSTRUCTION', 'ROADWORKS'],
  'Carril BICI': ['CONSTRUCTION', 'ROADWORKS'],
  'Carril BUS': ['CONSTRUCTION', 'ROADWORKS'],
  'Construcció de rotonda': ['CONSTRUCTION', 'ROADWORKS'],
  'Construcció i reparació de mur': ['CONSTRUCTION', 'ROADWORKS'],
  'Grans obres': ['CONSTRUCTION', 'ROADWORKS'],
  'Millora de la rotonda': ['CONSTRUCTION', 'ROADWORKS'],
  'Millora de traçat': ['CONSTRUCTION', 'ROADWORKS'],
  Reasfaltat: ['RESURFACING', 'ROADWORKS'],
  'Reforçament de ferm': ['RESURFACING', 'ROADWORKS'],
  'Reparació de barrera de seguretat': ['REPAIR', 'ROADWORKS'],
  'Reparació de biona': ['REPAIR', 'ROADWORKS'],
  'Reparació de ferm': ['REPAIR', 'ROADWORKS'],
  'Reparació de juntes de dilatació': ['REPAIR', 'ROADWORKS'],
  'Senyalització horitzontal': ['ROAD_MARKING', 'ROADWORKS'],
  'Manteniment de ponts': ['MAINTENANCE', 'ROADWORKS'],
  'Manteniment de túnel': ['MAINTENANCE', 'ROADWORKS'],
  Neteja: ['MAINTENANCE', 'ROADWORKS'],
  'Treballs de manteniment': ['MAINTENANCE', 'ROADWORKS'],
  'Treballs de jardineria': ['VEGETATION_CUTTING', 'ROADWORKS'],
}

/** First words of texts about works. */
const WORKS =
  /^(ampliacio|canalitzacio|col locacio|conservacio|construccio|desmuntatge|estabilitzacio|insatal lacio|instal lacio|manteniment|millora|neteja|obres|reforcament|reparacio|reposicio|senyalitzacio|substitucio|treballs)( |$)/

/** The type of an unlisted cause: works if its first word says so, else OTHER. */
export function typeOfUnknown(causa: string): IncidentType {
  return WORKS.test(foldName(causa.replaceAll('·', ' '))) ? 'ROADWORKS' : 'OTHER'
}

/** The `causa` that only means traffic. */
export const TRAFFIC = 'Circulació'

/** Effects on the road by `descripcio`, before any `. Desviaments`; if it names traffic, that is the cause. */
export const EFFECTS: Readonly<Record<string, CodeOf<typeof MEASURE_KINDS> & string>> = {
  'Calçada restringida': 'CARRIAGEWAY_RESTRICTED',
  'Calçada tallada': 'CARRIAGEWAY_CLOSED',
  'Circulació intensa': 'HEAVY_TRAFFIC',
  'Circulació amb retencions': 'QUEUING_TRAFFIC',
  'Circulació amb congestió': 'STATIONARY_TRAFFIC',
}

/** Effects that are also causes, with the same code. */
export const TRAFFIC_CAUSES: ReadonlySet<string> = new Set(['HEAVY_TRAFFIC', 'QUEUING_TRAFFIC', 'STATIONARY_TRAFFIC'])

/** The suffix of `descripcio` for diverted traffic. */
export const DIVERTED = 'Desviaments'

/** Grades of `nivell`: in the capture 5 always is a closed carriageway. */
export const LEVELS: Table<typeof SEVERITIES> = { '5': 'CRITICAL', '4': 'HIGH', '3': 'MEDIUM', '2': 'LOW', '1': 'LOW' }

/** Directions along the road; `Ambdos` is spelt so. */
export const DIRECTIONS: Table<typeof ROAD_DIRECTIONS> = { 'Ambdos sentits': 'BOTH', Creixent: 'POSITIVE', Decreixent: 'NEGATIVE' }

/** Who reports. */
export const REPORTERS: ReadonlySet<string> = new Set(['SCT'])
