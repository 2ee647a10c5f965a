import { type PublisherOptions, type Publishers, startPublishers } from '../../scripts/stand-in/server.ts'
import type { Archives, Scale } from '../../scripts/stand-in/world/world.ts'

/** A Wednesday morning in March, 08:30 in Madrid. */
export const RUSH_HOUR = Date.parse('2026-03-11T07:30:00Z')

/** Paths of the feeds on a stand-in. */
export const PATHS = {
  incidents: '/nap.dgt.es/datex2/v3/dgt/SituationPublication/datex2_v37.xml',
  incidentsOlder: '/nap.dgt.es/datex2/v3/dgt/SituationPublication/datex2_v36.xml',
  panelMessages: '/nap.dgt.es/datex2/v3/dgt/VmsPublication/datex2_v37.xml',
  panelDevices: '/nap.dgt.es/datex2/v3/dgt/DevicePublication/vms_datex2_v37.xml',
  detectors: '/infocar.dgt.es/datex2/dgt/MeasuredDataPublication/detectores/content.xml',
  detectorSites: '/infocar.dgt.es/datex2/dgt/PredefinedLocationsPublication/detectores/content.xml',
  catalonia: '/www.gencat.cat/transit/opendata/incidenciesGML.xml',
  traffic: '/informo.madrid.es/informo/tmadrid/pm.xml',
  sensors: '/datos.madrid.es/egob/catalogo/202468-263-intensidad-trafico.csv',
  fuel: '/energia.serviciosmin.gob.es/ServiciosRestCarburantes/PreciosCarburantes/EstacionesTerrestres/',
  alerts: '/gtfsrt.renfe.com/alerts.json',
  tripUpdates: '/gtfsrt.renfe.com/trip_updates.json',
  positions: '/gtfsrt.renfe.com/vehicle_positions.json',
  observations: '/opendata.aemet.es/opendata/sh/0b5e7a1c',
  weatherStations: '/opendata.aemet.es/opendata/sh/2d9c41f7',
  flotaLd: '/tiempo-real.largorecorrido.renfe.com/renfe-visor/flotaLD.json',
} as const

/** A stand-in whose clock is fixed at `at` until it is moved; closed by `await using publishers = await standIn()`. */
export async function standIn(
  options: { at?: number; seed?: number; scale?: Scale; archives?: Archives; faults?: PublisherOptions['faults'] } = {},
): Promise<Publishers & AsyncDisposable> {
  const { at = RUSH_HOUR, seed = 1, scale = 'full', archives = 'short', faults = [] } = options
  return disposable(await startPublishers({ source: { kind: 'simulated', speed: 0, start: at, seed, scale, archives }, faults }))
}

/** A stand-in that replays captures. */
export async function replaying(dir: string): Promise<Publishers & AsyncDisposable> {
  return disposable(await startPublishers({ source: { kind: 'captures', dir } }))
}

/** The bytes of a path; throws unless the answer is 200. */
export async function bytesOf(publishers: Publishers, path: string): Promise<Buffer> {
  const response = await fetch(publishers.url + path)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${bytes.toString().slice(0, 200)}`)
  return bytes
}

function disposable(publishers: Publishers): Publishers & AsyncDisposable {
  return Object.assign(publishers, { [Symbol.asyncDispose]: () => publishers.close() })
}
