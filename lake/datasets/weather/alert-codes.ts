import { defineCodes } from '../../schema/codes.ts'

/** Levels of a weather warning. AEMET's green means no warning, so it is not a level. */
export const ALERT_LEVELS = defineCodes('weather_alert_level', 'Level of a weather warning, lowest first.', {
  YELLOW: ['Amarillo', 'Yellow', 'Groc', 'Horia', 'Amarelo'],
  ORANGE: ['Naranja', 'Orange', 'Taronja', 'Laranja', 'Laranxa'],
  RED: ['Rojo', 'Red', 'Vermell', 'Gorria', 'Vermello'],
})

/** Subjects of a weather warning, named as in AEMET's Meteoalerta plan. */
export const ALERT_PHENOMENA = defineCodes('weather_alert_phenomenon', 'Phenomenon of a weather warning.', {
  RAIN: ['Lluvias', 'Rain', 'Pluges', 'Euria', 'Chuvias'],
  THUNDERSTORM: ['Tormentas', 'Thunderstorms', 'Tempestes', 'Ekaitzak', 'Treboadas'],
  WIND: ['Vientos', 'Wind', 'Vents', 'Haizea', 'Ventos'],
  SNOW: ['Nevadas', 'Snow', 'Nevades', 'Elurteak', 'Nevaradas'],
  HIGH_TEMPERATURE: ['Temperaturas máximas', 'High temperatures', 'Temperatures màximes', 'Tenperatura maximoak', 'Temperaturas máximas'],
  LOW_TEMPERATURE: ['Temperaturas mínimas', 'Low temperatures', 'Temperatures mínimes', 'Tenperatura minimoak', 'Temperaturas mínimas'],
  COASTAL: ['Fenómenos costeros', 'Coastal events', 'Fenòmens costaners', 'Kostaldeko fenomenoak', 'Fenómenos costeiros'],
  DUST: ['Polvo en suspensión', 'Dust', 'Pols en suspensió', 'Airean esekitako hautsa', 'Po en suspensión'],
  AVALANCHE: ['Aludes', 'Avalanches', 'Allaus', 'Elur-jausiak', 'Avalanchas'],
  GALERNA: ['Galernas', 'Galernas (sudden westerly gales in the Bay of Biscay)', 'Galernes', 'Galernak', 'Galernas'],
  RISSAGA: ['Rissagas', 'Rissagas (meteotsunamis in the Balearic Islands)', 'Rissagues', 'Rissagak', 'Rissagas'],
  FOG: ['Nieblas', 'Fog', 'Boires', 'Lainoa', 'Néboas'],
  THAW: ['Deshielos', 'Thaw', 'Desglaços', 'Desizoztea', 'Desxeos'],
})

/** Quantities that weather warnings give values of. */
export const ALERT_PARAMETERS = defineCodes('weather_alert_parameter', 'Quantity that a weather warning gives a value of.', {
  PRECIPITATION_1H: ['Precipitación en una hora', 'Precipitation in one hour'],
  PRECIPITATION_12H: ['Precipitación en 12 horas', 'Precipitation in 12 hours'],
  SNOW_24H: ['Nieve en 24 horas', 'Snow in 24 hours'],
  GUST: ['Racha máxima', 'Maximum gust'],
  THUNDERSTORM: ['Tormentas', 'Thunderstorms'],
  TEMPERATURE_MAX: ['Temperatura máxima', 'Maximum temperature'],
  TEMPERATURE_MIN: ['Temperatura mínima', 'Minimum temperature'],
  COASTAL: ['Fenómenos costeros', 'Coastal events'],
  VISIBILITY: ['Visibilidad', 'Visibility'],
  AVALANCHE: ['Aludes', 'Avalanches'],
  GALERNA: ['Galernas', 'Galernas'],
  RISSAGA: ['Rissagas', 'Rissagas'],
  FOG: ['Nieblas', 'Fog'],
  THAW: ['Deshielos', 'Thaw'],
})

/** Units of the values of weather warnings; see `UNITS`. */
export const ALERT_UNITS = defineCodes('weather_alert_unit', 'Unit of a value of a weather warning.', {
  mm: ['milímetros', 'millimetres'],
  cm: ['centímetros', 'centimetres'],
  m: ['metros', 'metres'],
  'km/h': ['kilómetros por hora', 'kilometres per hour'],
  Cel: ['grados Celsius', 'degrees Celsius'],
})

/** `severity` of CAP 1.2. */
export const CAP_SEVERITIES = defineCodes('cap_severity', 'Severity of a CAP message.', {
  EXTREME: ['Extrema', 'Extreme'],
  SEVERE: ['Grave', 'Severe'],
  MODERATE: ['Moderada', 'Moderate'],
  MINOR: ['Menor', 'Minor'],
  UNKNOWN: ['Desconocida', 'Unknown'],
})

/** `urgency` of CAP 1.2. */
export const CAP_URGENCIES = defineCodes('cap_urgency', 'How soon people should act on a CAP message.', {
  IMMEDIATE: ['Inmediata', 'Immediate'],
  EXPECTED: ['Pronto, en la próxima hora', 'Soon, within the next hour'],
  FUTURE: ['En un futuro próximo', 'In the near future'],
  PAST: ['Ya no es necesaria', 'No longer required'],
  UNKNOWN: ['Desconocida', 'Unknown'],
})

/** `certainty` of CAP 1.2. */
export const CAP_CERTAINTIES = defineCodes('cap_certainty', 'Certainty of a CAP message.', {
  OBSERVED: ['Observado', 'Observed'],
  LIKELY: ['Probable, más del 50 %', 'Likely, more than 50 %'],
  POSSIBLE: ['Posible, menos del 50 %', 'Possible, less than 50 %'],
  UNLIKELY: ['Improbable', 'Unlikely'],
  UNKNOWN: ['Desconocida', 'Unknown'],
})

/** `responseType` of CAP 1.2. */
export const CAP_RESPONSES = defineCodes('cap_response_type', 'What people should do on a CAP message.', {
  SHELTER: ['Refugiarse', 'Take shelter'],
  EVACUATE: ['Evacuar', 'Evacuate'],
  PREPARE: ['Prepararse', 'Prepare'],
  EXECUTE: ['Ejecutar el plan', 'Execute a plan'],
  AVOID: ['Evitar la zona', 'Avoid the area'],
  MONITOR: ['Estar atento', 'Monitor'],
  ASSESS: ['Evaluar', 'Assess'],
  ALLCLEAR: ['Fin del peligro', 'All clear'],
  NONE: ['Nada', 'None'],
})

/** Values of `msgType` of the CAP messages of a warning. */
export const CAP_MESSAGE_TYPES = defineCodes('cap_message_type', 'Whether a CAP message is the first of its warning.', {
  ALERT: ['Aviso nuevo', 'New warning'],
  UPDATE: ['Actualización', 'Update'],
})
