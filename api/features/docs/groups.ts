import { domains } from '../../endpoints/catalog.ts'
import type { LocalText } from '../../kernel/language.ts'

/** A group of operations, as the reference shows it. */
export interface GroupDoc {
  readonly id: string
  readonly title: LocalText
  /** What it contains, how fresh and from whom. */
  readonly about: LocalText
}

/** What each domain has, by its id. */
const DOMAIN_TEXTS: Readonly<Record<string, LocalText>> = {
  road: {
    es: 'Incidencias, obras, balizas V16, paneles, cámaras, radares, intensidad del tráfico y zonas de bajas emisiones, con la geometría de las carreteras. De la DGT, los gobiernos autonómicos y los ayuntamientos; lo más rápido se lee cada minuto.',
    en: 'Incidents, roadworks, V16 beacons, message panels, cameras, speed cameras, traffic intensity and low-emission zones, with the geometry of roads. From the DGT, regional governments and city councils; the fastest feeds are read every minute.',
  },
  fuel: {
    es: 'Precios de cada gasolinera por carburante, las más baratas de una zona o de una carretera, medias e historia desde 2019, tendencias y predicciones. Los publica el Ministerio varias veces al día.',
    en: 'Prices of each filling station by fuel, the cheapest in an area or along a road, averages and history since 2019, trends and forecasts. The Ministry publishes them several times a day.',
  },
  rail: {
    es: 'Avisos, posiciones de trenes con retraso, salidas y llegadas, horarios, estaciones, líneas y puntualidad. De Renfe, FGC, FGV, el Consorcio de Madrid y otras redes.',
    en: 'Alerts, train positions with delays, departures and arrivals, timetables, stations, routes and punctuality. From Renfe, FGC, FGV, the consortium of Madrid and other networks.',
  },
  maritime: {
    es: 'Puertos, rutas de ferry con horarios, posiciones y recorridos de buques, y precios del combustible marino.',
    en: 'Ports, ferry routes with timetables, positions and tracks of vessels, and prices of marine fuel.',
  },
  aviation: {
    es: 'Vuelos retrasados, cancelados o desviados, aeropuertos con su puntualidad y tráfico, y posiciones de aeronaves.',
    en: 'Late, cancelled or diverted flights, airports with their punctuality and traffic, and positions of aircraft.',
  },
  mobility: {
    es: 'Viajes entre zonas por día y hora, e intensidad media diaria de las carreteras. Del Ministerio de Transportes, a partir de teléfonos móviles y de aforos.',
    en: 'Trips between areas by day and hour, and the average daily traffic of roads. From the Ministry of Transport, based on mobile phones and traffic counts.',
  },
  safety: {
    es: 'Accidentes con víctimas como estadísticas y microdatos, tramos de concentración y el riesgo de un tramo.',
    en: 'Accidents with casualties as statistics and microdata, black spots, and the risk of a road section.',
  },
  search: {
    es: 'Un solo campo para todo: lugares, carreteras, estaciones, puertos, aeropuertos y gasolineras, con tolerancia a erratas.',
    en: 'One field for everything: places, roads, stations, ports, airports and filling stations, tolerant of typing errors.',
  },
  service: {
    es: 'Lo que el servicio sabe de sí mismo: fuentes y licencias, frescura de los datos, catálogo de conjuntos con sus esquemas y su calidad, listas de códigos, fichas de los modelos y el flujo de eventos.',
    en: 'What the service knows about itself: sources and licences, freshness of data, the catalogue of datasets with their schemas and quality, code lists, model cards and the stream of events.',
  },
  weather: {
    es: 'Tiempo para conducir, predicción por horas y días para un municipio, un punto o una carretera, avisos oficiales y series de las estaciones. De AEMET.',
    en: 'Driving weather, hourly and daily forecasts for a municipality, a point or a road, official warnings, and series of weather stations. From AEMET.',
  },
  air: {
    es: 'Índice y mediciones de cada estación de calidad del aire, ahora y en series por hora, día o más.',
    en: 'The index and measurements of each air quality station, now and in series by hour, day or longer.',
  },
  export: {
    es: 'Conjuntos de datos enteros en ficheros Parquet con sumas de comprobación, y trabajos que exportan una parte filtrada.',
    en: 'Whole datasets as Parquet files with checksums, and jobs that export a filtered part.',
  },
}

/** Groups besides the domains. */
const OTHERS: readonly GroupDoc[] = [
  {
    id: 'account',
    title: { es: 'Claves y uso', en: 'Keys and usage' },
    about: {
      es: 'Crear, renovar y revocar claves, y ver lo que cada una ha usado.',
      en: 'Make, rotate and revoke keys, and see what each of them used.',
    },
  },
  {
    id: 'webhooks',
    title: { es: 'Webhooks', en: 'Webhooks' },
    about: {
      es: 'Eventos firmados que se envían a una dirección suya, con reintentos, lista de entregas y repetición de un periodo.',
      en: 'Signed events that are sent to a URL of yours, with retries, a list of deliveries and the replay of a period.',
    },
  },
  {
    id: 'platform',
    title: { es: 'Plataforma', en: 'Platform' },
    about: {
      es: 'Salud y disponibilidad, planes, esta descripción como OpenAPI, esquemas de las tablas y el servidor MCP para asistentes.',
      en: 'Health and availability, plans, this description as OpenAPI, schemas of the tables, and the MCP server for assistants.',
    },
  },
]

/** Every group of the reference, in its order. */
export const GROUPS: readonly GroupDoc[] = [
  ...domains.map(({ id, title }) => {
    const about = DOMAIN_TEXTS[id]
    if (!about) throw new Error(`api/features/docs/groups.ts has no text for the domain ${id}`)
    return { id, title, about }
  }),
  ...OTHERS,
]

/** Returns what a group has. Domains of tests have no text: their name stands for it. */
export function groupText(id: string): LocalText {
  return GROUPS.find((one) => one.id === id)?.about ?? { es: `Datos: ${id}`, en: `Data: ${id}` }
}
