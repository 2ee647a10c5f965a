import { defineCodes } from '../../schema/codes.ts'

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
