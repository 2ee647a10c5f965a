/** The 121 paths of the specification's catalogue (`api.md`, section 2), without `/api/`. */
const PATHS = `
incidents incidents/{id} incidents/{id}/history incidents/changes incidents/history incidents/stats v16 v16/stats
v16/history panels panels/{id} panels/{id}/history trafico/intensidad trafico/sensores trafico/sensores/{id}
trafico/sensores/{id}/historico trafico/prediccion trafico/ciudades trafico/ciudades/{ciudad}
trafico/ciudades/{ciudad}/historico trafico/obras trafico/resumen trafico/ruta camaras camaras/{id} radares zbe zbe/{id}
carreteras carreteras/{road} carreteras/{road}/estado carreteras/{road}/geometria geo/pk geo/provincias
geo/provincias/{code} geo/municipios geo/municipios/{code} gas-stations gas-stations/{id} gas-stations/{id}/history
gas-stations/cheapest gas-stations/changes gas-stations/stats combustible/precios combustible/historico
combustible/tendencia prediccion/combustible trenes/estaciones trenes/estaciones/{id} trenes/estaciones/{id}/salidas
trenes/estaciones/{id}/llegadas trenes/rutas trenes/rutas/{id} trenes/rutas/{id}/horarios trenes/nucleos trenes/alertas
trenes/alertas/{id} trenes/alertas/historico trenes/flota trenes/posiciones trenes/posiciones/{id}
trenes/posiciones/{id}/recorrido trenes/puntualidad weather weather/alerts weather/alerts/{id} weather/forecast
clima/estaciones clima/estaciones/{id} clima/estaciones/{id}/historico clima/historico calidad-aire
calidad-aire/estaciones calidad-aire/estaciones/{id} calidad-aire/estaciones/{id}/historico movilidad movilidad/od
movilidad/zonas movilidad/imd movilidad/estaciones movilidad/estaciones/{id} movilidad/corredores
movilidad/corredores/{id} accidentes/microdata accidentes/microdata/diccionario accidentes/stats accidentes/hotspots
accidentes/hotspots/{id} prediccion/riesgo prediccion/riesgo/{road} prediccion/modelos maritimo maritimo/historico
maritimo/puertos maritimo/puertos/{id} maritimo/ferries maritimo/ferries/{id} maritimo/buques maritimo/buques/{mmsi}
maritimo/buques/{mmsi}/recorrido aviacion aviacion/aeropuertos aviacion/aeropuertos/{iata}
aviacion/aeropuertos/{iata}/historico aviacion/posiciones aviacion/posiciones/{icao24} search search/suggest
search/nearby search/collections datasets datasets/{id} datasets/{id}/schema datasets/{id}/quality export
export/{dataset} export/{dataset}/{file} sources freshness stream codes
`

/** The paths of the specification, in its order. */
export const SPECIFIED: readonly string[] = PATHS.trim()
  .split(/\s+/)
  .map((path) => `/api/${path}`)

/** Those that do not exist yet; the list may only become shorter. */
export const NOT_YET: readonly string[] = []
