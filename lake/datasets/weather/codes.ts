import { defineCodes } from '../../schema/codes.ts'

/**
 * Conditions that make driving harder, as measured by weather stations. Their thresholds are in the endpoints that report them.
 */
export const DRIVING_CONDITIONS = defineCodes('driving_condition', 'Difficult driving condition at a weather station.', {
  RAIN: ['Lluvia', 'Rain'],
  SNOWFALL: ['Nevada', 'Snowfall'],
  SNOW_ON_GROUND: ['Nieve en el suelo', 'Snow on the ground'],
  FOG: ['Niebla', 'Fog'],
  STRONG_WIND: ['Viento fuerte', 'Strong wind'],
})

/** Special precipitation values of AEMET. */
export const PRECIPITATION_FLAGS = defineCodes('precipitation_flag', 'Special precipitation value.', {
  TRACE: ['Inapreciable: menos de 0,1 mm', 'Trace: less than 0.1 mm'],
  ACCUMULATED: ['Acumulada en un día posterior', 'Included in the sum of a later day'],
})

/** Hours that a step of a weather series covers. */
export const DAY_DEFINITIONS = defineCodes('day_definition', 'Hours that a step of a weather series covers.', {
  HOUR: ['Una hora', 'One hour'],
  MADRID_DAY: ['Día de 0 a 24 h de Madrid, de observaciones horarias', 'Day from 00 to 24 h in Madrid, from hourly observations'],
  AEMET_DAY: [
    'Día climatológico de AEMET: precipitación de 07 a 07 UTC, lo demás de 0 a 24 h UTC',
    'Climatological day of AEMET: precipitation from 07 to 07 UTC, everything else from 00 to 24 h UTC',
  ],
})

/** Cloud cover, in AEMET's terms. */
export const CLOUD_COVERS = defineCodes('cloud_cover', 'Cloud cover of a forecast, from clear to overcast.', {
  CLEAR: ['Despejado', 'Clear', 'Serè', 'Oskarbi', 'Despexado'],
  FEW_CLOUDS: ['Poco nuboso', 'Few clouds', 'Poc ennuvolat', 'Hodei gutxi', 'Pouco anubrado'],
  PARTLY_CLOUDY: ['Intervalos nubosos', 'Partly cloudy', 'Intervals de núvols', 'Hodei-tarteak', 'Intervalos anubrados'],
  CLOUDY: ['Nuboso', 'Cloudy', 'Ennuvolat', 'Hodeitsu', 'Anubrado'],
  VERY_CLOUDY: ['Muy nuboso', 'Very cloudy', 'Molt ennuvolat', 'Oso hodeitsu', 'Moi anubrado'],
  OVERCAST: ['Cubierto', 'Overcast', 'Cobert', 'Estalita', 'Cuberto'],
  HIGH_CLOUDS: ['Nubes altas', 'High clouds', 'Núvols alts', 'Goi-hodeiak', 'Nubes altas'],
})

/** Precipitation and low visibility in a forecast. */
export const FORECAST_PHENOMENA = defineCodes('forecast_phenomenon', 'Precipitation or low visibility in a forecast.', {
  NONE: ['Ninguno', 'None', 'Cap', 'Bat ere ez', 'Ningún'],
  LIGHT_RAIN: ['Lluvia escasa', 'Light rain', 'Pluja feble', 'Euri ahula', 'Chuvia feble'],
  RAIN: ['Lluvia', 'Rain', 'Pluja', 'Euria', 'Chuvia'],
  LIGHT_SNOW: ['Nieve escasa', 'Light snow', 'Neu feble', 'Elur ahula', 'Neve feble'],
  SNOW: ['Nieve', 'Snow', 'Neu', 'Elurra', 'Neve'],
  THUNDERSTORM: ['Tormenta', 'Thunderstorm', 'Tempesta', 'Ekaitza', 'Treboada'],
  THUNDERSTORM_LIGHT_RAIN: [
    'Tormenta y lluvia escasa',
    'Thunderstorm with light rain',
    'Tempesta amb pluja feble',
    'Ekaitza eta euri ahula',
    'Treboada con chuvia feble',
  ],
  FOG: ['Niebla', 'Fog', 'Boira', 'Lainoa', 'Néboa'],
  MIST: ['Bruma', 'Mist', 'Boirina', 'Lanbroa', 'Brétema'],
  HAZE: ['Calima', 'Haze', 'Calitja', 'Gandua', 'Calima'],
})

/** Hourly rain, in AEMET's classes. */
export const RAIN_CLASSES = defineCodes('rain_class', "Hourly rain, in AEMET's classes.", {
  NONE: ['Sin lluvia', 'No rain'],
  LIGHT: ['Débil: hasta 2 mm/h', 'Light: up to 2 mm/h'],
  MODERATE: ['Moderada: hasta 15 mm/h', 'Moderate: up to 15 mm/h'],
  HEAVY: ['Fuerte: hasta 30 mm/h', 'Heavy: up to 30 mm/h'],
  VERY_HEAVY: ['Muy fuerte: hasta 60 mm/h', 'Very heavy: up to 60 mm/h'],
  TORRENTIAL: ['Torrencial: más de 60 mm/h', 'Torrential: more than 60 mm/h'],
})

/** Hourly snowfall, in AEMET's classes. */
export const SNOW_CLASSES = defineCodes('snow_class', "Hourly snowfall, in AEMET's classes; 1 mm of water counts as 1 cm of snow.", {
  NONE: ['Sin nieve', 'No snow'],
  LIGHT: ['Débil: hasta 0,5 cm/h', 'Light: up to 0.5 cm/h'],
  MODERATE: ['Moderada: hasta 4 cm/h', 'Moderate: up to 4 cm/h'],
  HEAVY: ['Fuerte: más de 4 cm/h', 'Heavy: more than 4 cm/h'],
})

/** Causes of low visibility in a forecast. */
export const FOG_CLASSES = defineCodes('fog_class', 'Cause of low visibility in a forecast.', {
  NONE: ['Sin niebla', 'None'],
  HAZE: ['Calima', 'Haze'],
  MIST: ['Bruma', 'Mist'],
  FOG: ['Niebla: visibilidad de menos de 1 km', 'Fog: visibility of less than 1 km'],
})

/** Wind in AEMET's classes. */
export const WIND_CLASSES = defineCodes('wind_class', "Wind or gusts, in AEMET's classes.", {
  CALM: ['Calma: hasta 5 km/h', 'Calm: up to 5 km/h'],
  LIGHT: ['Flojo: hasta 20 km/h', 'Light: up to 20 km/h'],
  MODERATE: ['Moderado: hasta 40 km/h', 'Moderate: up to 40 km/h'],
  STRONG: ['Fuerte: hasta 70 km/h', 'Strong: up to 70 km/h'],
  VERY_STRONG: ['Muy fuerte: hasta 120 km/h', 'Very strong: up to 120 km/h'],
  HURRICANE: ['Huracanado: más de 120 km/h', 'Hurricane force: more than 120 km/h'],
})

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
