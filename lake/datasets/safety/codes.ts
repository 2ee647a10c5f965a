import { defineCodes } from '../../schema/codes.ts'

/** Severity of an accident, by the worst harm to a person. */
export const ACCIDENT_SEVERITIES = defineCodes('accident_severity', 'Worst harm to a person in an accident.', {
  FATAL: ['Con fallecidos', 'Fatal'],
  SERIOUS: ['Con heridos hospitalizados', 'Someone in hospital for more than a day'],
  SLIGHT: ['Con heridos no hospitalizados', 'Someone slightly hurt'],
  NONE: ['Sin víctimas', 'Nobody hurt'],
  UNKNOWN: ['Sin dato', 'Not known'],
})

/** Precision of a published accident time. */
export const TIME_PRECISIONS = defineCodes('time_precision', 'Precision of a published time.', {
  MINUTE: ['Al minuto', 'To the minute'],
  HOUR: ['A la hora', 'To the hour'],
  DAY: ['Al día', 'To the day'],
  MONTH: ['Al mes', 'To the month'],
})

/** Origin of an accident's position. */
export const LOCATION_METHODS = defineCodes('location_method', 'Origin of a position.', {
  PUBLISHED: ['Publicada por la fuente', 'Published by the source'],
  ROAD_KM: ['Por carretera y punto kilométrico', 'From road and kilometre point'],
})

/** Ways to locate an accident by its road and kilometre. */
export const ROAD_KM_METHODS = defineCodes('road_km_method', 'How a kilometre of a road was located.', {
  AXIS: ['En el eje medido de la carretera', 'On the measured axis of the road'],
  POINTS: ['Entre puntos conocidos de la carretera', 'Between known points of the road'],
})

/** Reasons for a null value. */
export const ABSENCE_REASONS = defineCodes('absence_reason', 'Why a value is absent.', {
  NOT_SPECIFIED: ['Sin especificar (999)', 'Not specified (999)'],
  NOT_APPLICABLE: ['No aplica (998)', 'Not applicable (998)'],
  UNKNOWN: ['Se desconoce', 'Unknown to the source'],
  ANONYMISED: ['Municipio de menos de 5000 habitantes', 'Municipality of fewer than 5,000 people, not published'],
  CLOCK_CHANGE: ['Hora ambigua o inexistente por el cambio de hora', 'Ambiguous or missing hour at a clock change'],
  OUTSIDE: ['Coordenada fuera de la ciudad', 'Coordinate outside the city'],
})

/** Places of an accident in the road network. */
export const ACCIDENT_ZONES = defineCodes('accident_zone', 'Kind of place of an accident.', {
  ROAD: ['Carretera', 'Road'],
  CROSSING: ['Travesía', 'Road through a town'],
  STREET: ['Calle', 'Street'],
  URBAN_MOTORWAY: ['Autopista o autovía urbana', 'Urban motorway'],
  URBAN: ['Zona urbana', 'Urban area'],
})

/** Islands, by the traffic authority's numbers. */
export const ISLANDS = defineCodes('island', 'Island.', {
  MALLORCA: ['Mallorca', 'Majorca'],
  MENORCA: ['Menorca', 'Menorca'],
  IBIZA: ['Ibiza', 'Ibiza'],
  FORMENTERA: ['Formentera', 'Formentera'],
  CABRERA: ['Cabrera', 'Cabrera'],
  CONEJERA: ['Conejera', 'Conejera'],
  GRAN_CANARIA: ['Gran Canaria', 'Gran Canaria'],
  FUERTEVENTURA: ['Fuerteventura', 'Fuerteventura'],
  LANZAROTE: ['Lanzarote', 'Lanzarote'],
  TENERIFE: ['Tenerife', 'Tenerife'],
  LA_PALMA: ['La Palma', 'La Palma'],
  LA_GOMERA: ['La Gomera', 'La Gomera'],
  EL_HIERRO: ['El Hierro', 'El Hierro'],
})

/** Owners of roads. */
export const ROAD_OWNERS = defineCodes('road_owner', 'Owner of a road.', {
  STATE: ['Estatal', 'State'],
  REGION: ['Autonómica', 'Region'],
  PROVINCE: ['Provincial, Cabildo o Consell', 'Province or island'],
  MUNICIPALITY: ['Municipal', 'Municipality'],
  OTHER: ['Otra', 'Other'],
})

/** Kinds of road. */
export const ROAD_TYPES = defineCodes('road_type', 'Kind of road.', {
  TOLL_MOTORWAY: ['Autopista de peaje', 'Toll motorway'],
  FREE_MOTORWAY: ['Autopista libre', 'Free motorway'],
  AUTOVIA: ['Autovía', 'Autovía (dual carriageway of motorway standard)'],
  CAR_ROAD: ['Vía para automóviles', 'Road for motor vehicles'],
  CONVENTIONAL_DUAL: ['Carretera convencional de doble calzada', 'Conventional road, dual carriageway'],
  CONVENTIONAL_SINGLE: ['Carretera convencional de calzada única', 'Conventional road, single carriageway'],
  SERVICE_ROAD: ['Vía de servicio', 'Service road'],
  SLIP_ROAD: ['Ramal de enlace', 'Slip road'],
  STREET: ['Calle', 'Street'],
  LOCAL_TRACK: ['Camino vecinal', 'Local track'],
  ENCLOSURE: ['Recinto delimitado', 'Enclosure'],
  CYCLE_ROAD: ['Vía ciclista', 'Cycle road'],
  CYCLE_PATH: ['Senda ciclable', 'Cycle path'],
  CONVENTIONAL: ['Carretera convencional', 'Conventional road'],
  MOTORWAY: ['Autopista o autovía', 'Motorway or autovía'],
  OTHER: ['Otra', 'Other'],
})

/** Kinds of accident. */
export const ACCIDENT_TYPES = defineCodes('accident_type', 'Kind of accident.', {
  HEAD_ON: ['Colisión frontal', 'Head-on collision'],
  FRONT_SIDE: ['Colisión fronto-lateral', 'Front-side collision'],
  SIDE: ['Colisión lateral', 'Side collision'],
  REAR_END: ['Alcance', 'Rear-end collision'],
  MULTIPLE: ['Colisión múltiple o en caravana', 'Multiple collision'],
  FIXED_OBJECT: ['Colisión contra obstáculo o elemento de la vía', 'Collision with an object'],
  PEDESTRIAN: ['Atropello a personas', 'Pedestrian hit'],
  ANIMAL: ['Atropello a animales', 'Animal hit'],
  OVERTURN: ['Vuelco', 'Overturn'],
  FALL: ['Caída', 'Fall'],
  DROP: ['Despeñamiento', 'Drop'],
  RUN_OFF: ['Salida de la vía', 'Run off the road'],
  RUN_OFF_COLLISION: ['Salida de la vía con colisión', 'Run off the road, with collision'],
  RUN_OFF_OVERTURN: ['Salida de la vía con vuelco', 'Run off the road, overturned'],
  RUN_OFF_PEDESTRIAN: ['Salida de la vía con atropello', 'Run off the road, pedestrian hit'],
  RUN_OFF_LEFT_COLLISION: ['Salida de la vía por la izquierda con colisión', 'Run off to the left, with collision'],
  RUN_OFF_LEFT_DROP: ['Salida de la vía por la izquierda con despeñamiento', 'Run off to the left, with a drop'],
  RUN_OFF_LEFT_OVERTURN: ['Salida de la vía por la izquierda con vuelco', 'Run off to the left, overturned'],
  RUN_OFF_LEFT_OTHER: ['Salida de la vía por la izquierda, otro tipo', 'Run off to the left, other'],
  RUN_OFF_RIGHT_COLLISION: ['Salida de la vía por la derecha con colisión', 'Run off to the right, with collision'],
  RUN_OFF_RIGHT_DROP: ['Salida de la vía por la derecha con despeñamiento', 'Run off to the right, with a drop'],
  RUN_OFF_RIGHT_OVERTURN: ['Salida de la vía por la derecha con vuelco', 'Run off to the right, overturned'],
  RUN_OFF_RIGHT_OTHER: ['Salida de la vía por la derecha, otro tipo', 'Run off to the right, other'],
  OTHER: ['Otro tipo de accidente', 'Other'],
})

/** Kinds of junction. */
export const JUNCTION_TYPES = defineCodes('junction_type', 'Kind of junction.', {
  CROSSROADS: ['En X o +', 'Crossroads'],
  T_OR_Y: ['En T o Y', 'T or Y junction'],
  STAR: ['En estrella', 'Star'],
  ROUNDABOUT: ['Glorieta', 'Roundabout'],
  SPLIT_ROUNDABOUT: ['Glorieta partida', 'Split roundabout'],
  MINI_ROUNDABOUT: ['Miniglorieta', 'Mini roundabout'],
  DOUBLE_ROUNDABOUT: ['Glorieta doble', 'Double roundabout'],
  LEVEL_CROSSING_BARRIER: ['Paso a nivel con barrera', 'Level crossing with barrier'],
  LEVEL_CROSSING_OPEN: ['Paso a nivel sin barrera', 'Level crossing without barrier'],
  INTERCHANGE: ['Enlace', 'Interchange'],
  INTERCHANGE_LANES: ['Enlace con carriles de cambio de velocidad', 'Interchange with speed-change lanes'],
  INTERCHANGE_PLAIN: ['Enlace sin carriles de cambio de velocidad', 'Interchange without speed-change lanes'],
  FORK: ['Bifurcación o convergencia', 'Fork or merge'],
})

/** Alignment of the road at an accident. */
export const ALIGNMENTS = defineCodes('road_alignment', 'Horizontal alignment of the road.', {
  STRAIGHT: ['Recta', 'Straight'],
  SIGNED_BEND: ['Curva señalizada', 'Signed bend'],
  UNSIGNED_BEND: ['Curva sin señalizar', 'Unsigned bend'],
})

/** State of the road surface. */
export const SURFACES = defineCodes('road_surface', 'State of the surface.', {
  DRY: ['Seco y limpio', 'Dry and clean'],
  MUD_GRAVEL: ['Con barro o gravilla suelta', 'Mud or loose gravel'],
  WET: ['Mojado', 'Wet'],
  FLOODED: ['Muy encharcado o inundado', 'Flooded'],
  ICE: ['Con hielo', 'Ice'],
  SNOW: ['Con nieve', 'Snow'],
  SLIPPERY: ['Resbaladizo', 'Slippery'],
  OIL: ['Con aceite', 'Oil'],
  OTHER: ['Otra', 'Other'],
})

/** Light. */
export const LIGHTS = defineCodes('light', 'Light.', {
  DAYLIGHT: ['Luz del día', 'Daylight'],
  TWILIGHT: ['Amanecer o atardecer', 'Twilight'],
  TWILIGHT_UNLIT: ['Amanecer o atardecer, sin luz artificial', 'Twilight, no lamps'],
  TWILIGHT_LIT: ['Amanecer o atardecer, con luz artificial', 'Twilight, lamps on'],
  DARK_LIT: ['Sin luz natural, con iluminación encendida', 'Dark, lamps on'],
  DARK_OFF: ['Sin luz natural, con iluminación no encendida', 'Dark, lamps off'],
  DARK_UNLIT: ['Sin luz natural ni artificial', 'Dark, no lamps'],
})

/** Weather at an accident. */
export const ACCIDENT_WEATHER = defineCodes('accident_weather', 'Weather at the time of an accident.', {
  CLEAR: ['Despejado', 'Clear'],
  CLOUDY: ['Nublado', 'Cloudy'],
  LIGHT_RAIN: ['Lluvia débil', 'Light rain'],
  HEAVY_RAIN: ['Lluvia fuerte', 'Heavy rain'],
  HAIL: ['Granizando', 'Hail'],
  SNOW: ['Nevando', 'Snow'],
})

/** Fog. */
export const FOGS = defineCodes('fog', 'Fog.', {
  LIGHT: ['Niebla ligera', 'Light fog'],
  DENSE: ['Niebla intensa', 'Dense fog'],
})

/** Visibility restrictions. */
export const SIGHT_LIMITS = defineCodes('sight_limit', 'Cause of restricted visibility.', {
  NONE: ['Buena visibilidad', 'Nothing'],
  BUILDINGS: ['Edificios', 'Buildings'],
  ROAD_ITEMS: ['Instalaciones o elementos de la vía', 'Road infrastructure'],
  TERRAIN: ['Configuración del terreno', 'Terrain'],
  WEATHER: ['Factores atmosféricos', 'Weather'],
  SUN: ['Deslumbramiento por sol', 'Glare of the sun'],
  STREET_LIGHT: ['Deslumbramiento por alumbrado', 'Glare of street lights'],
  HEADLIGHTS: ['Deslumbramiento por faros de otro vehículo', 'Glare of headlights'],
  VEHICLE: ['Un vehículo', 'A vehicle'],
  WORKS: ['Obras', 'Works'],
  CONTAINERS: ['Contenedores', 'Containers'],
  VEGETATION: ['Vegetación o árboles', 'Vegetation'],
  DECORATION: ['Elementos decorativos', 'Decoration'],
  OTHER_OBJECTS: ['Otros objetos en la vía', 'Other objects on the road'],
  PANELS: ['Paneles y publicidad', 'Panels and advertising'],
  VEHICLE_PARTS: ['Elementos del vehículo', 'Parts of the vehicle'],
  OTHER: ['Otras restricciones', 'Other'],
})

/** Pavements along the road. */
export const SIDEWALKS = defineCodes('sidewalk', 'Pavement for pedestrians.', {
  NONE: ['No', 'None'],
  IMPASSABLE: ['Impracticable', 'Impassable'],
  FLUSH: ['Sí, no elevada', 'Flush'],
  RAISED: ['Elevada', 'Raised'],
})

/** Traffic density, by the traffic authority's levels. */
export const TRAFFIC_LEVELS = defineCodes('accident_traffic_level', 'Level of traffic at an accident.', {
  WHITE: ['Nivel blanco', 'White'],
  GREEN: ['Nivel verde', 'Green'],
  YELLOW: ['Nivel amarillo', 'Yellow'],
  RED: ['Nivel rojo', 'Red'],
  BLACK: ['Nivel negro', 'Black'],
})

/** Priority rules at an accident. */
export const PRIORITY_RULES = defineCodes('priority_rule', 'Priority rule at a place.', {
  RULE: ['Norma general', 'General rule'],
  AGENT: ['Agente', 'Officer'],
  TRAFFIC_LIGHT: ['Semáforo', 'Traffic light'],
  STOP_SIGN: ['Señal vertical de stop', 'Stop sign'],
  YIELD_SIGN: ['Señal vertical de ceda el paso', 'Give-way sign'],
  STOP_LINE: ['Señal horizontal de stop', 'Stop marking'],
  YIELD_LINE: ['Señal horizontal de ceda el paso', 'Give-way marking'],
  MARKINGS: ['Sólo marcas viales', 'Other road markings'],
  CROSSWALK: ['Paso para peatones no elevado', 'Pedestrian crossing, flush'],
  RAISED_CROSSWALK: ['Paso para peatones elevado', 'Pedestrian crossing, raised'],
  CYCLE_MARKING: ['Marca vial de paso para ciclistas', 'Cycle crossing'],
  TEMPORARY: ['Señal circunstancial', 'Temporary sign'],
  OTHER: ['Otra', 'Other'],
})

/** Means of transport of a person killed. */
export const ROAD_USERS = defineCodes('road_user', 'Means of transport of a person.', {
  PEDESTRIAN: ['Peatón', 'On foot'],
  BICYCLE: ['Bicicleta', 'Bicycle'],
  MOPED: ['Ciclomotor', 'Moped'],
  MOTORCYCLE: ['Motocicleta', 'Motorcycle'],
  CAR: ['Turismo', 'Car'],
  VAN: ['Furgoneta', 'Van'],
  LIGHT_LORRY: ['Camión de hasta 3500 kg', 'Lorry up to 3,500 kg'],
  HEAVY_LORRY: ['Camión de más de 3500 kg', 'Lorry above 3,500 kg'],
  BUS: ['Autobús', 'Bus'],
  SCOOTER: ['Vehículo de movilidad personal', 'Personal mobility vehicle'],
  OTHER: ['Otro', 'Other'],
  UNSPECIFIED: ['Sin especificar', 'Not specified'],
})

/** Pedestrian behaviour that led to an accident, according to Barcelona's police. */
export const PEDESTRIAN_CAUSES = defineCodes('pedestrian_cause', 'Pedestrian behaviour that led to an accident.', {
  NONE: ['No es causa del peatón', 'Not caused by a pedestrian'],
  IGNORED_LIGHT: ['Desobedecer el semáforo', 'Ignored a traffic light'],
  IGNORED_SIGN: ['Desobedecer otras señales', 'Ignored another sign'],
  CROSSED_OUTSIDE: ['Cruzar fuera del paso de peatones', 'Crossed outside a crossing'],
  ON_CARRIAGEWAY: ['Transitar a pie por la calzada', 'Walked on the carriageway'],
  OTHER: ['Otras', 'Other'],
})

/** Kinds of animals: the domestic or wild half of the traffic authority's list, whose species are not published. */
export const ANIMAL_KINDS = defineCodes('animal_kind', 'Whether an animal is wild or domestic.', {
  WILD: ['Salvaje', 'Wild'],
  DOMESTIC: ['Doméstico', 'Domestic'],
})

/** Accidents that a risk is based on. */
export const RISK_BASES = defineCodes('risk_basis', 'Accidents that a risk is based on.', {
  ANIMALS: ['Accidentes con animales', 'Accidents with animals'],
  CASUALTY: ['Accidentes con víctimas', 'Accidents with someone killed or hurt'],
})

/** Classes of road sections by expected accidents. */
export const RISK_CLASSES = defineCodes('risk_class', 'Class of a road section by its expected accidents.', {
  VERY_HIGH: [
    'Muy alto: el 5 % con más',
    'Very high: the 5 % with the most',
    'Molt alt: el 5 % amb més',
    'Oso handia: gehien dituen % 5a',
    'Moi alto: o 5 % con máis',
  ],
  HIGH: ['Alto: el 15 % siguiente', 'High: the next 15 %', 'Alt: el 15 % següent', 'Handia: hurrengo % 15a', 'Alto: o 15 % seguinte'],
  MEDIUM: [
    'Medio: el 30 % siguiente',
    'Medium: the next 30 %',
    'Mitjà: el 30 % següent',
    'Ertaina: hurrengo % 30a',
    'Medio: o 30 % seguinte',
  ],
  LOW: ['Bajo: el resto', 'Low: the rest', 'Baix: la resta', 'Txikia: gainerakoa', 'Baixo: o resto'],
})
