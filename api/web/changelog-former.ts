/** What callers may have noticed until 2026-11-22, the newest day first. */
export const FORMER_CHANGES = Object.freeze([
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
