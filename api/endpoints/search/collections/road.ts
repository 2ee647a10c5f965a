import { cameras, speedCameras } from '../../../../lake/datasets/road/cameras.ts'
import { chargingSites } from '../../../../lake/datasets/road/charging-sites.ts'
import { SPEED_CAMERA_TYPES } from '../../../../lake/datasets/road/codes.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { lowEmissionZones } from '../../../../lake/datasets/road/low-emission-zones.ts'
import { trafficCountStations } from '../../../../lake/datasets/road/traffic-counts.ts'
import { trafficSections } from '../../../../lake/datasets/road/traffic-sections.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import { vmsDevices } from '../../../../lake/datasets/road/vms.ts'
import { corridors } from '../../../../lake/places/corridors.ts'
import { areaMiddle } from '../../../../lake/places/middles.ts'
import { pick } from '../../../kernel/fields.ts'
import { countStationsOf } from '../../mobility/count-station.ts'
import { cameraId } from '../../road/cameras.ts'
import { roadPosts } from '../../road/posts.ts'
import { dailyTraffic, roadHolders, roadsOf } from '../../road/road-catalogue.ts'
import { sectionSensors, sensorsOf } from '../../road/sensors.ts'
import { speedCameraId } from '../../road/speed-cameras.ts'
import { defineCollection, joinParts, townOf } from '../collection.ts'

/** Approximate mean daily vehicles of the busiest roads. */
const MOST_VEHICLES = 150_000

/** Importance of a road: by its traffic if known, else by its class. */
function roadImportance(road: string, vehicles: number | null): number {
  const byClass = /^(A|AP)-\d{1,2}$/.test(road) ? 0.8 : /^(N|M|R)-/.test(road) ? 0.6 : 0.4
  return vehicles === null ? byClass : Math.max(byClass, Math.log(1 + vehicles) / Math.log(MOST_VEHICLES))
}

export const roadCollection = defineCollection({
  id: 'roads',
  title: 'Roads',
  about: 'Roads with a known position. A query with a kilometre (`A-6 km 12`) finds the place on the road.',
  words: 'carretera, autovia, autopista, autobidea, autoestrada, road, motorway, highway, nacional',
  weights: { title: 5 },
  slices: { posts: roadPosts, traffic: dailyTraffic, holders: roadHolders },
  detail: '/api/carreteras/{road}',
  documents: function* (_states, { posts, traffic, holders }) {
    for (const { id, name, provinces, province_codes, position, imd_veh_day } of roadsOf(posts, traffic, holders).values()) {
      const [only, ...others] = province_codes
      yield {
        id,
        title: id,
        subtitle: name ?? provinces.join(', '),
        ...(name === null ? {} : { names: [name] }),
        position,
        province_code: others.length === 0 ? (only ?? null) : null,
        text: provinces,
        importance: Math.min(1, roadImportance(id, imd_veh_day)),
      }
    }
  },
})

export const corridorCollection = defineCollection({
  id: 'corridors',
  title: 'Corridors',
  about: 'Corridors of roads, by name.',
  words: 'corredor, corredores, corridor, circunvalacion',
  detail: '/api/movilidad/corredores/{id}',
  documents: () =>
    corridors.map(({ id, name, roads }) => ({
      id,
      title: name,
      subtitle: 'Corredor',
      province_code: roads[0]?.province_code ?? null,
      importance: 0.35,
    })),
})

export const incidentCollection = defineCollection({
  id: 'incidents',
  title: 'Incidents',
  about: 'Current incidents on roads.',
  words: 'incidencia, incidencias, incidente, accidente, accidentes, obras, atasco, retencion, retenciones, incident, roadworks',
  weights: { title: 1.5, codes: 1.5 },
  from: [incidents],
  detail: '/api/incidents/{id}',
  documents: ([state]) =>
    state.rows.map((row) => ({
      id: row.incident_id,
      title: row.description,
      subtitle: null,
      codes: [row.road],
      ...pick(row, 'position', 'province_code', 'municipality_code'),
      importance: row.severity === 'CRITICAL' || row.severity === 'HIGH' ? 0.5 : 0.3,
    })),
})

const placeOnRoad = (kind: string, road: string | null, km: number | null): string =>
  joinParts([kind, road, km === null ? null : `km ${km}`], ' ')

export const cameraCollection = defineCollection({
  id: 'cameras',
  title: 'Cameras',
  about: 'Traffic cameras, by road and kilometre, or street in Madrid, Barcelona and Terrassa, and municipality.',
  words: 'camara, camaras, camera, cameras, camera de transit, cameres, kamera, webcam, traffic camera',
  weights: { title: 2.5, codes: 3 },
  from: [cameras],
  detail: '/api/camaras/{id}',
  documents: ([state]) =>
    state.rows.map((row) => ({
      id: cameraId(row),
      title: row.road === null && row.name !== null ? `Cámara ${row.name}` : placeOnRoad('Cámara', row.road, row.km),
      subtitle: joinParts([row.destination && `sentido ${row.destination}`, row.municipality]) || null,
      codes: [row.camera_id, row.road],
      text: [row.name],
      ...pick(row, 'position', 'province_code', 'municipality_code'),
      importance: 0.2,
    })),
})

export const speedCameraCollection = defineCollection({
  id: 'speed-cameras',
  title: 'Speed cameras',
  about: 'Speed cameras, by road and kilometre or street, and municipality.',
  words: 'radar, radares, radars, cinemometro, radar fijo, radar de tramo, speed camera, speed trap',
  weights: { title: 2.5, codes: 3 },
  from: [speedCameras],
  detail: '/api/radares?ids={id}',
  documents: ([state]) =>
    state.rows.map((row) => ({
      id: speedCameraId(row),
      title: row.road === null && row.name !== null ? `Radar ${row.name}` : placeOnRoad('Radar', row.road, row.km),
      subtitle: joinParts([SPEED_CAMERA_TYPES.codes[row.type]?.es, row.municipality]) || null,
      codes: [row.road],
      text: [row.name],
      ...pick(row, 'position', 'province_code', 'municipality_code'),
      importance: 0.2,
    })),
})

/** Beyond the agreed 26, as the endpoints of charging sites are beyond the agreed paths. */
export const chargingSiteCollection = defineCollection({
  id: 'charging-sites',
  title: 'Charging sites',
  about: 'Charging sites for electric cars, by operator, town and address.',
  words:
    'electrolinera, electrolineras, cargador, cargadores, punto de recarga, puntos de recarga, estacion de recarga, ' +
    'punt de carrega, punts de carrega, kargagune, punto de carga, ev charger, charging station, charging point',
  weights: { title: 3.5, place: 2.5 },
  from: [chargingSites],
  detail: '/api/electrolineras/{id}',
  documents: ([state]) =>
    state.rows.map(({ site_id, operator, address, postal_code, name, road, position, province_code, municipality_code, municipality }) => ({
      id: site_id,
      title: joinParts([operator, townOf(municipality_code) ?? municipality]) || site_id,
      subtitle: joinParts([address, postal_code]) || null,
      codes: [site_id],
      text: [name, road],
      position,
      province_code,
      municipality_code,
      importance: 0.15,
    })),
})

export const panelCollection = defineCollection({
  id: 'panels',
  title: 'Message panels',
  about: 'Variable-message panels of the catalogue, by road and kilometre, municipality and destination of the road.',
  words: 'panel, paneles, panel de mensaje variable, panell, vms, message panel, message sign',
  weights: { title: 2.5, codes: 3 },
  from: [vmsDevices],
  detail: '/api/panels/{id}',
  documents: ([state]) =>
    state.rows.map(({ panel_id, road, km, destination, municipality, municipality_code, province_code, position }) => ({
      id: panel_id,
      title: placeOnRoad('Panel', road, km),
      subtitle: joinParts([destination && `sentido ${destination}`, municipality]) || null,
      codes: [panel_id, road],
      position,
      province_code,
      municipality_code,
      importance: 0.25,
    })),
})

export const lowEmissionZoneCollection = defineCollection({
  id: 'low-emission-zones',
  title: 'Low-emission zones',
  about: 'Low-emission zones, by name and municipality.',
  words: 'zbe, zona de bajas emisiones, zbedep, zona de baixes emissions, low emission zone, etiqueta ambiental',
  weights: { title: 2.5 },
  from: [lowEmissionZones],
  detail: '/api/zbe/{id}',
  documents: ([state]) =>
    state.rows.map(({ zone_id, name, municipality, municipality_code, province_code, area }) => ({
      id: zone_id,
      title: name,
      subtitle: joinParts(['Zona de bajas emisiones', municipality]),
      position: area && areaMiddle(area),
      province_code,
      municipality_code,
      importance: 0.3,
    })),
})

export const sensorCollection = defineCollection({
  id: 'sensors',
  title: 'Traffic sensors and street sections',
  about:
    'Traffic sensors of Madrid by street and code, detectors of interurban roads by road, kilometre and code, and street sections of Barcelona and València by street.',
  words: 'sensor, sensores, punto de medida, espira, detector, intensidad, tramo, tram, street section',
  weights: { title: 2, codes: 3, place: 1 },
  from: [trafficSensors, trafficSections],
  detail: '/api/trafico/sensores/{id}',
  documents: function* ([sensors, sections]) {
    // Bilbao's sections have no name to find them by.
    const named = sectionSensors(sections).filter(({ name }) => name !== null)
    for (const one of [...sensorsOf(sensors).values(), ...named]) {
      const { id, name, centre_code, road, km, destination, position, province_code, municipality_code } = one
      yield {
        id,
        title: name ?? (road === null ? `Sensor ${id}` : joinParts([road, km === null ? null : `km ${km}`, destination], ' ')),
        subtitle: townOf(municipality_code),
        codes: [id, centre_code],
        position,
        province_code,
        municipality_code,
        importance: 0.1,
      }
    }
  },
})

export const countStationCollection = defineCollection({
  id: 'counting-stations',
  title: 'Counting stations',
  about: 'Permanent traffic counting stations, by street and code.',
  words: 'aforo, aforos, estacion de aforo, contador, counting station',
  weights: { title: 2.5, codes: 4 },
  from: [trafficCountStations],
  detail: '/api/movilidad/estaciones/{id}',
  documents: ([state]) =>
    countStationsOf(state).map(({ id, name, position, municipality, municipality_code, province_code }) => ({
      id,
      title: name,
      subtitle: joinParts(['Estación de aforo', municipality]),
      codes: [id],
      exact: [id],
      position,
      province_code,
      municipality_code,
      importance: 0.2,
    })),
})
