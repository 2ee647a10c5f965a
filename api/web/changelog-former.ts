/** What callers may have noticed until 2026-11-23, those of that day in part, the newest day first. */
export const FORMER_CHANGES = Object.freeze([
  {
    id: 'cities-now',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/trafico/ciudades', '/api/trafico/ciudades/{ciudad}'],
    text: {
      es: 'El tráfico de las ciudades ahora, frente a lo habitual a esa hora y tipo de día, y el de cada sensor de una ciudad. Madrid; Barcelona y València aún no se leen.',
      en: 'The traffic of cities now, against what is typical of the hour and kind of day, and that at each sensor of a city. Madrid; Barcelona and València are not read yet.',
    },
  },
  {
    id: 'sensor-typical',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/trafico/sensores/{id}'],
    text: {
      es: 'Lo habitual a esa hora y tipo de día (`typical`, con las semanas en que se basa) y la desviación de la última lectura (`deviation`).',
      en: 'What is typical of the hour and kind of day (`typical`, with the weeks that it rests on) and how far the last reading is from it (`deviation`).',
    },
  },
  {
    id: 'fuel-forecasts',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/prediccion/combustible', '/api/prediccion/modelos'],
    text: {
      es: 'Precios de los carburantes previstos, por día y a 1, 2 y 4 semanas, con intervalos, y fichas de los modelos con sus errores.',
      en: 'Forecasts of fuel prices by day and at 1, 2 and 4 weeks, with intervals, and cards of the models with their errors.',
    },
  },
  {
    id: 'accident-sections',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/accidentes/microdata', '/api/accidentes/stats'],
    text: {
      es: 'Posición por carretera y punto kilométrico donde la fuente no publica ninguna (`location_method` ROAD_KM), y cifras por tramos de 5 km (`group_by=section`).',
      en: 'Positions by road and kilometre where the source publishes none (`location_method` ROAD_KM), and figures by sections of 5 km (`group_by=section`).',
    },
  },
  {
    id: 'hotspots-geojson',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/accidentes/hotspots'],
    text: {
      es: 'Responde GeoJSON salvo que se pida otra cosa: JSON con `Accept: application/json` o `format=json`.',
      en: 'Answers GeoJSON unless asked for something else: JSON with `Accept: application/json` or `format=json`.',
    },
  },
  {
    id: 'ministry-means',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/combustible/historico', '/api/combustible/tendencia'],
    text: {
      es: 'La serie MINISTRY_DAILY: medias nacionales diarias de gasolina 95 y gasóleo A que publica el ministerio.',
      en: 'The series MINISTRY_DAILY: national means of petrol 95 and diesel by day that the ministry publishes.',
    },
  },
  {
    id: 'fuel-archive',
    date: '2026-11-23',
    kind: 'CHANGED',
    paths: ['/api/gas-stations/*', '/api/combustible/historico', '/api/combustible/tendencia'],
    text: {
      es: 'El historial de precios de una gasolinera y las medias STATION_MEAN toman del archivo diario del ministerio, que llega hasta 2007, los días sin publicaciones.',
      en: 'The price series of a filling station and the means STATION_MEAN take days without publications from the archive by day of the ministry, which goes back to 2007.',
    },
  },
  {
    id: 'mobility-zones',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/movilidad/zonas'],
    text: {
      es: 'Zonas del estudio de movilidad: códigos, municipios que contienen y versión.',
      en: 'Zones of the study of mobility: codes, the municipalities that they hold, and version.',
    },
  },
  {
    id: 'count-stations',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/movilidad/estaciones', '/api/movilidad/estaciones/{id}'],
    text: {
      es: 'Estaciones permanentes de aforo de Madrid, con su intensidad media diaria por años y su perfil horario.',
      en: 'Permanent count stations of Madrid, with average daily traffic by year and an hourly profile.',
    },
  },
  {
    id: 'corridors',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/movilidad/corredores', '/api/movilidad/corredores/{id}'],
    text: {
      es: 'Corredores: intensidad media diaria, cambio respecto al año anterior y perfil horario.',
      en: 'Corridors: average daily traffic, change from the year before and hourly profile.',
    },
  },
  {
    id: 'imd',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/movilidad/imd'],
    text: {
      es: 'Intensidad media diaria de los tramos de las carreteras del Estado por años, con el porcentaje de pesados.',
      en: 'Average daily traffic of the sections of the state roads by year, with the share of heavy vehicles.',
    },
  },
  {
    id: 'mobility-od',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/movilidad/od'],
    text: {
      es: 'Celdas de la matriz de orígenes y destinos, por zonas, horas y distancias.',
      en: 'Cells of the matrix of origins and destinations, by zones, hours and distances.',
    },
  },
  {
    id: 'mobility-flows',
    date: '2026-11-23',
    kind: 'ADDED',
    paths: ['/api/movilidad'],
    text: {
      es: 'Viajes entre provincias por días, semanas, meses o años, del estudio de movilidad del ministerio; con `view=imd`, intensidad media diaria de las carreteras por años.',
      en: "Trips between provinces by day, week, month or year, of the ministry's study of mobility; with `view=imd`, average daily traffic of roads by year.",
    },
  },
  {
    id: 'oil-bulletin',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/combustible/historico', '/api/combustible/tendencia'],
    text: {
      es: 'La serie BULLETIN: precios nacionales por semanas, con y sin impuestos, del boletín de la Comisión Europea. Los precios por litro tienen seis decimales.',
      en: 'The series BULLETIN: national prices by week, with and without taxes, of the bulletin of the European Commission. Prices per litre have six decimals.',
    },
  },
  {
    id: 'v16-history',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/v16/history'],
    text: {
      es: 'Activaciones de balizas V16 por tramos de 10 km de carretera y horas.',
      en: 'Activations of V16 beacons by sections of 10 km of a road and by hour.',
    },
  },
  {
    id: 'city-history',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/trafico/ciudades/{ciudad}/historico'],
    text: {
      es: 'Historia de la congestión de Madrid por horas, días, semanas, meses y años.',
      en: 'History of the congestion of Madrid by hour, day, week, month and year.',
    },
  },
  {
    id: 'accidents',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/accidentes/*'],
    text: {
      es: 'Accidentes de tráfico de España, Madrid, Barcelona y Cataluña: microdatos, diccionario, cifras y puntos negros.',
      en: 'Road accidents of Spain, Madrid, Barcelona and Catalonia: microdata, codebook, figures and black spots.',
    },
  },
  {
    id: 'fuel-figures',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/gas-stations/stats', '/api/combustible/*'],
    text: {
      es: 'Precios medios de los carburantes: de ahora por zonas y rótulos, su historia y su tendencia.',
      en: 'Average fuel prices: current ones by area and sign, their history and their trend.',
    },
  },
  {
    id: 'road-places',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/geo/pk'],
    text: {
      es: 'De carretera y punto kilométrico a posición, y al revés, con el error en metros.',
      en: 'Road and kilometre to position, and back, with the error in metres.',
    },
  },
  {
    id: 'datasets',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/datasets', '/api/datasets/*'],
    text: {
      es: 'Catálogo de los conjuntos de datos: contenido, tamaño, cobertura, licencias, esquema y calidad por días de cada uno.',
      en: 'Catalogue of the datasets: content, size, coverage, licences, schema and quality by day of each.',
    },
  },
  {
    id: 'weather',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/weather', '/api/clima/*'],
    text: {
      es: 'El tiempo en las estaciones de AEMET: lluvia, nieve, niebla y viento ahora, las estaciones, y sus series por horas y días, también los validados.',
      en: 'The weather at the stations of AEMET: rain, snow, fog and wind now, the stations, and their series by hour and day, the validated days too.',
    },
  },
  {
    id: 'status',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/status'],
    text: {
      es: 'El estado del servicio: cómo está cada fuente de datos, y la disponibilidad y los tiempos de respuesta de cada grupo de rutas por meses.',
      en: 'The state of the service: how each feed of data is, and the availability and response times of each group of paths by month.',
    },
  },
  {
    id: 'limits',
    date: '2026-11-22',
    kind: 'CHANGED',
    paths: [],
    text: {
      es: 'Las rutas de datos aplican los planes y sus límites: sin clave responden las del plan FREE, 5 veces por minuto; cada respuesta a una clave dice cuánto queda.',
      en: 'Paths of data apply plans and their limits: those of the plan FREE answer without a key, 5 times a minute; every reply to a key says what is left.',
    },
  },
  {
    id: 'rail-products',
    date: '2026-11-22',
    kind: 'CHANGED',
    paths: ['/api/trenes/*'],
    text: {
      es: 'Los productos de largo recorrido son una sola lista de códigos, la de /api/codes; las listas del histórico dicen desde cuándo hay datos (meta.covered_from).',
      en: 'Products of long distance are one list of codes, that of /api/codes; lists of history say since when there is data (meta.covered_from).',
    },
  },
  {
    id: 'docs',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/', '/signup', '/docs', '/changelog', '/llms.txt', '/.well-known/api-catalog', '/.well-known/security.txt'],
    text: {
      es: 'Página de inicio con un formulario para la clave, documentación interactiva, esta lista de cambios y descripciones para programas.',
      en: 'A start page with a form for a key, interactive documentation, this list of changes, and descriptions for programs.',
    },
  },
  {
    id: 'tables',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/schemas/*'],
    text: {
      es: 'Toda respuesta de datos existe también como CSV, NDJSON, Parquet y Arrow, hasta 100.000 filas por petición; /schemas dice sus columnas.',
      en: 'Every reply with data comes as CSV, NDJSON, Parquet and Arrow too, up to 100,000 rows a request; /schemas tells its columns.',
    },
  },
  {
    id: 'keys',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/keys', '/api/keys/*', '/account', '/api/plans'],
    text: {
      es: 'Claves de la API, la página para gestionarlas y la lista de planes.',
      en: 'API keys, the page to manage them, and the list of plans.',
    },
  },
  {
    id: 'rail',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/trenes/*'],
    text: {
      es: 'Trenes de Renfe: estaciones con sus paneles, rutas y horarios, núcleos, avisos, posiciones, material y puntualidad.',
      en: 'Trains of Renfe: stations with their boards, routes and timetables, commuter networks, alerts, positions, rolling stock and punctuality.',
    },
  },
  {
    id: 'catalonia',
    date: '2026-11-22',
    kind: 'CHANGED',
    paths: ['/api/incidents', '/api/incidents/*'],
    text: {
      es: 'Las incidencias de Cataluña vienen también del Servei Català de Trànsit; la que publican dos organismos aparece una sola vez.',
      en: 'Incidents of Catalonia come from the Servei Català de Trànsit too; one that two authorities publish is shown once.',
    },
  },
  {
    id: 'road-figures',
    date: '2026-11-22',
    kind: 'ADDED',
    paths: ['/api/incidents/history', '/api/incidents/stats', '/api/v16/stats', '/api/trafico/obras'],
    text: {
      es: 'Incidencias pasadas, recuentos de incidencias y balizas, y obras.',
      en: 'Past incidents, counts of incidents and beacons, and roadworks.',
    },
  },
  {
    id: 'first',
    date: '2026-11-21',
    kind: 'ADDED',
    paths: ['/api/incidents', '/api/v16', '/api/trafico/*', '/api/gas-stations', '/api/sources', '/api/freshness', '/api/codes'],
    text: {
      es: 'Primera versión: incidencias, balizas V16, sensores de tráfico de Madrid, gasolineras con sus precios, fuentes, estado de los datos y listas de códigos.',
      en: 'First version: incidents, V16 beacons, traffic sensors of Madrid, filling stations with their prices, sources, state of the data and code lists.',
    },
  },
] as const)
