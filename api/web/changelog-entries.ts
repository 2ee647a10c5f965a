import { FORMER_CHANGES } from './changelog-former.ts'

/** What became of a path. */
export const CHANGE_KINDS = ['ADDED', 'CHANGED', 'DEPRECATED', 'REMOVED', 'FIXED'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** One line of the list of changes. */
export interface Change {
  /** Its name, which links to it carry: never changed again. */
  readonly id: string
  /** The day of the change, as YYYY-MM-DD in UTC. */
  readonly date: string
  readonly kind: ChangeKind
  /** The paths that it is about; `/api/x/*` for several below one, none where it is about all. */
  readonly paths: readonly string[]
  readonly text: { readonly es: string; readonly en: string }
}

/** What callers may notice, the newest day first. What goes is added by itself, from the declarations of endpoints. */
export const CHANGES: readonly Change[] = Object.freeze([
  {
    id: 'canary-months',
    date: '2026-11-25',
    kind: 'FIXED',
    paths: ['/api/accidentes/microdata', '/api/accidentes/stats'],
    text: {
      es: 'Un periodo de meses o años enteros tiene también los accidentes de Canarias, cuyos meses empiezan y acaban una hora después que en Madrid.',
      en: 'A period of whole months or years has the accidents of the Canaries too, whose months begin and end an hour later than in Madrid.',
    },
  },
  {
    id: 'climatology-days',
    date: '2026-11-25',
    kind: 'FIXED',
    paths: ['/api/clima/historico', '/api/clima/estaciones/{id}/historico'],
    text: {
      es: 'Con `series=CLIMATOLOGY` un periodo tiene los días UTC que toca, y no los que empiezan en días de Madrid: pedidos uno a uno, cada día sale una vez.',
      en: 'With `series=CLIMATOLOGY` a period has the days of UTC that it touches, not those that begin in days of Madrid: asked for one by one, each day comes once.',
    },
  },
  {
    id: 'rows-of-source',
    date: '2026-11-25',
    kind: 'CHANGED',
    paths: ['/api/accidentes/*', '/api/movilidad', '/api/trafico/sensores/{id}/historico', '/api/trafico/ciudades/{ciudad}/historico'],
    text: {
      es: '`meta.covered_from` y `meta.latest_row_at` son de la fuente o el estudio que se pide, y un periodo sin fin del archivo de tráfico acaba donde el archivo.',
      en: '`meta.covered_from` and `meta.latest_row_at` are of the source or study that is asked for, and a period of the traffic archive without an end ends where the archive does.',
    },
  },
  {
    id: 'hotspot-peak',
    date: '2026-11-25',
    kind: 'CHANGED',
    paths: ['/api/accidentes/hotspots', '/api/accidentes/hotspots/{id}'],
    text: {
      es: '`peak` es un objeto con `lat` y `lon`, en lugar de `peak_lat` y `peak_lon`, que siguen siendo las columnas de las tablas.',
      en: '`peak` is an object with `lat` and `lon`, in the place of `peak_lat` and `peak_lon`, which are still the columns of tables.',
    },
  },
  {
    id: 'figures-told',
    date: '2026-11-25',
    kind: 'ADDED',
    paths: [
      '/api/accidentes/microdata',
      '/api/accidentes/hotspots/{id}',
      '/api/weather',
      '/api/clima/estaciones',
      '/api/clima/estaciones/{id}',
      '/api/movilidad/zonas',
      '/api/movilidad/estaciones',
    ],
    text: {
      es: '`meta.grain` y `meta.method` dicen también en estas rutas de qué es cada registro y cómo se hace.',
      en: '`meta.grain` and `meta.method` tell on these paths too what each record stands for and how it is made.',
    },
  },
  {
    id: 'hotspot-years',
    date: '2026-11-25',
    kind: 'CHANGED',
    paths: ['/api/accidentes/hotspots', '/api/accidentes/hotspots/{id}'],
    text: {
      es: 'Los puntos negros son de los tres años más recientes de cada fuente, ninguno más de tres anterior al último, y sin los años cuyos accidentes no tienen posición; los que tenían menos de tres accidentes dentro ya no lo son. `coverage` dice además de qué municipio son los accidentes (`municipality_code`) y en qué años hay posiciones (`located_years`).',
      en: 'Black spots are of the three newest years of each source, none more than three older than the last, and without years whose accidents have no position; those with fewer than three accidents inside are none any more. `coverage` also tells which municipality the accidents are of (`municipality_code`) and in which years there are positions (`located_years`).',
    },
  },
  {
    id: 'weather-days',
    date: '2026-11-25',
    kind: 'ADDED',
    paths: ['/api/datasets/*'],
    text: {
      es: 'El tiempo por días: los conjuntos de datos `weather_days` (por estación), `weather_station_roads` (carreteras a menos de 10 km de cada estación) y `weather_road_days` (por carretera y provincia).',
      en: 'Weather by day: the datasets `weather_days` (by station), `weather_station_roads` (roads within 10 km of each station) and `weather_road_days` (by road and province).',
    },
  },
  {
    id: 'zone-polygons',
    date: '2026-11-24',
    kind: 'ADDED',
    paths: ['/api/movilidad/zonas', '/api/datasets/*'],
    text: {
      es: 'Polígonos de las zonas de movilidad: `geometry` y `geometry_at`, que en GeoJSON ocupan el lugar del centroide, y el conjunto de datos `mobility_zone_areas`, con los polígonos tal como se publican.',
      en: 'Polygons of the zones of mobility: `geometry` and `geometry_at`, in the place of the centroid as GeoJSON, and the dataset `mobility_zone_areas`, with polygons as published.',
    },
  },
  {
    id: 'zone-centroids',
    date: '2026-11-24',
    kind: 'ADDED',
    paths: ['/api/movilidad/zonas', '/api/datasets/*'],
    text: {
      es: 'Centroides de las zonas de movilidad: `lat` y `lon`, también como GeoJSON, y el conjunto de datos `mobility_zone_points`.',
      en: 'Centroids of the zones of mobility: `lat` and `lon`, as GeoJSON too, and the dataset `mobility_zone_points`.',
    },
  },
  {
    id: 'no-silent-forecasts',
    date: '2026-11-24',
    kind: 'CHANGED',
    paths: ['/api/trafico/prediccion', '/api/prediccion/combustible', '/api/prediccion/riesgo', '/api/prediccion/riesgo/{road}'],
    text: {
      es: 'Donde no hay nada que decir de una serie la respuesta es un 503 que dice por qué, y lo que no puede haber (un horizonte, un producto, un instante lejano) un 400: antes, una lista vacía.',
      en: 'Where there is nothing to tell of a series the reply is a 503 that says why, and what there cannot be (a horizon, a product, an instant far off) a 400: it was an empty list.',
    },
  },
  {
    id: 'malformed-roads',
    date: '2026-11-24',
    kind: 'FIXED',
    paths: [],
    text: {
      es: '`road` rechaza lo que no es el nombre de una carretera, como A-2/1 o A-2,A-3: antes se leía como A-21, sin decirlo.',
      en: '`road` refuses what is no name of a road, such as A-2/1 or A-2,A-3: it was read as A-21, without a word.',
    },
  },
  {
    id: 'sections-by-kilometre',
    date: '2026-11-24',
    kind: 'FIXED',
    paths: ['/api/prediccion/riesgo', '/api/prediccion/riesgo/{road}', '/api/movilidad/imd'],
    text: {
      es: 'Con `km_from` ya no se da el tramo que termina justo en ese kilómetro: cada kilómetro es de un solo tramo.',
      en: 'With `km_from` the section that ends at that very kilometre is no longer given: a kilometre is of one section.',
    },
  },
  {
    id: 'stale-forecasts',
    date: '2026-11-24',
    kind: 'FIXED',
    paths: ['/api/trafico/prediccion', '/api/prediccion/riesgo', '/api/prediccion/riesgo/{road}'],
    text: {
      es: '`meta.stale` es verdadero donde todas las previsiones son de horas que ya han pasado; en el riesgo es de los accidentes de `basis`.',
      en: '`meta.stale` is true where all forecasts are of hours that are over; of risk it is of the accidents of `basis`.',
    },
  },
  {
    id: 'forecasts-of-fuel-oil',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/prediccion/combustible'],
    text: {
      es: 'Previsiones de los fuelóleos, por tonelada: `price` y `price_unit`; `price_eur_l` es nulo en ellos.',
      en: 'Forecasts of fuel oils, by the tonne: `price` and `price_unit`; `price_eur_l` is null of them.',
    },
  },
  {
    id: 'forecasts-ahead',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/trafico/prediccion'],
    text: {
      es: 'La lista de todas las series es de las horas por venir; las que ya han pasado se dan de una serie, o con `at`, y lo dicen (`is_over`).',
      en: 'The list of all series is of hours to come; those that are over are told of one series, or with `at`, and say so (`is_over`).',
    },
  },
  {
    id: 'latest-rows',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: [],
    text: {
      es: '`meta.latest_row_at` dice de cuándo es la última fila: los archivos llegan meses después de sus días. También en las fichas de los conjuntos; las listas en memoria dicen además `covered_until`.',
      en: '`meta.latest_row_at` says of when the latest row is: archives come months after their days. Cards of datasets say so too; lists that are kept in memory also say `covered_until`.',
    },
  },
  {
    id: 'quality-of-archives',
    date: '2026-11-23',
    kind: 'FIXED',
    paths: ['/api/datasets/{id}/quality'],
    text: {
      es: 'Los días de los archivos se cuentan cuando llegan, también los de hace años: antes constaban sin filas o no constaban.',
      en: 'Days of archives are counted when they come, those of years ago too: they were told as without rows, or not at all.',
    },
  },
  {
    id: 'risk-of-casualties',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/prediccion/riesgo', '/api/prediccion/riesgo/{road}', '/api/prediccion/modelos'],
    text: {
      es: 'Riesgo también de accidentes con víctimas, de la tabla nacional; `basis` dice cuáles, y sin él se dan estos en cuanto los hay. El modelo es `risk_casualties`.',
      en: 'Risk of accidents with somebody killed or hurt, too, of the national table; `basis` says which, and without it these are given once they are there. The model is `risk_casualties`.',
    },
  },
  {
    id: 'live-traffic-forecasts',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/trafico/prediccion', '/api/prediccion/modelos'],
    text: {
      es: 'Previsiones también de los sensores de Madrid y de sus corredores, cada hora, en cuanto hay tres meses de lecturas; el modelo es `traffic`.',
      en: "Forecasts of Madrid's live sensors and of corridors, too, each hour, once there are three months of readings; the model is `traffic`.",
    },
  },
  {
    id: 'unbidden',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/favicon.ico', '/robots.txt'],
    text: {
      es: 'El icono y lo que los buscadores pueden leer tienen rutas propias: quien abre una lista en un navegador ya no gasta por ello una de sus peticiones.',
      en: 'The icon and what search engines may read have paths of their own: opening a list in a browser no longer costs a second request.',
    },
  },
  {
    id: 'traffic-forecasts',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/trafico/prediccion'],
    text: {
      es: 'Tráfico de las cuatro horas siguientes a los últimos datos, con intervalo; lo habitual por día de la semana y hora, y lo medido frente a lo típico.',
      en: 'Traffic in the four hours after the newest data, with interval; what is usual by day of the week and hour, and what was measured against what is typical.',
    },
  },
  {
    id: 'road-risk',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/prediccion/riesgo', '/api/prediccion/riesgo/{road}'],
    text: {
      es: 'Accidentes con animales esperables por tramo de carretera y hora, con intervalo, puesto y clase; y las 24 horas de una carretera como GeoJSON.',
      en: 'Accidents with animals to be expected per road section and hour, with interval, rank and class; and the 24 hours of one road as GeoJSON.',
    },
  },
  {
    id: 'mobility-first-study',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/movilidad', '/api/movilidad/od', '/api/movilidad/zonas'],
    text: {
      es: 'El estudio de 2020 y 2021 (`study=V1`), entre municipios, en cuanto se han descargado sus ficheros; sus tramos de distancia son otros. `sections` es null en sus zonas.',
      en: 'The study of 2020 and 2021 (`study=V1`), between municipalities, once its files have been fetched; its distance bands are others. `sections` is null in its zones.',
    },
  },
  {
    id: 'mobility-levels',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/movilidad/od'],
    text: {
      es: 'Viajes entre distritos (`level=DISTRICT`) y entre grandes áreas urbanas (`level=GAU`), en cuanto se han descargado sus ficheros.',
      en: 'Trips between districts (`level=DISTRICT`) and between large urban areas (`level=GAU`), once their files have been fetched.',
    },
  },
  {
    id: 'mobility-zone-names',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/movilidad/zonas'],
    text: {
      es: 'Nombre (`name`) y población (`population`) que el ministerio da a cada zona, y orden por ellos.',
      en: 'Name (`name`) and population (`population`) that the ministry gives each zone, and sorting by them.',
    },
  },
  {
    id: 'sensor-editions',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/datasets/*'],
    text: {
      es: 'El conjunto `traffic_sensor_editions`: dónde estaba cada sensor de tráfico de Madrid en cada edición mensual del catálogo, para situar las lecturas de otros años.',
      en: 'The dataset `traffic_sensor_editions`: where each traffic sensor of Madrid stood in each monthly edition of the catalogue, so that readings of other years find their place.',
    },
  },
  {
    id: 'former-sensors',
    date: '2026-11-23',
    kind: 'FIXED',
    paths: ['/api/trafico/sensores/*'],
    text: {
      es: 'La serie de un sensor que solo conoce el archivo es una lista vacía en los periodos sin lecturas, y ya no un 404.',
      en: 'The series of a sensor that only the archive knows is an empty list in periods without readings, and no longer a 404.',
    },
  },
  {
    id: 'incident-delay',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/incidents', '/api/incidents/*'],
    text: {
      es: '`delay_minutes` se estima donde la fuente da nivel y longitud de la congestión; `delay_source` dice si es comunicado o estimado.',
      en: '`delay_minutes` is estimated where the source tells a level and a length of congestion; `delay_source` says whether it is reported or estimated.',
    },
  },
  ...FORMER_CHANGES,
])
