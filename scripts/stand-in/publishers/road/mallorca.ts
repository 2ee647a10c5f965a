import { defineStandIn } from '../../define.ts'
import { keptOf } from '../../publisher.ts'
import { type RegionIncident, regionIncidentsAt } from '../../world/region-incidents.ts'
import { localText } from '../../world/rhythm.ts'

const PATH = /^\/geoserver\/SIT\/incidencies_(icon|tram)\/wfs$/
const [QUARTER, DAY] = [900_000, 86_400_000]
const BEGIN = 'DD/MM/YYYY hh:mm'
const SENSES = {
  both: [0, 'ambdós sentits'],
  unknown: [0, 'ambdós sentits'],
  positive: [1, 'sentit ascendent'],
  negative: [2, 'sentit descendent'],
} as const
const EFFECTS = ['Trànsit altern', 'Tall de carril', 'Estrenyiment de calçada', 'Desviament provisional', 'Precaució']

/** Consell de Mallorca: works and restrictions on the island's roads. */
export const mallorca = defineStandIn('mallorca_incidents', {
  path: '/geoserver/SIT/incidencies_icon/wfs?service=WFS',
  route(path) {
    const layer = PATH.exec(path)?.[1]
    return layer === undefined ? null : layer
  },
  publishedAt: (_seed, now) => now - (now % QUARTER),
  contentType: 'application/json;charset=UTF-8',
  validators: 'none',
  write(world, { resource, publishedAt, variant }) {
    const all = keptOf(regionIncidentsAt(world, publishedAt, 'MLL'), variant)
    const layer = resource === 'icon' ? 'icon' : 'tram'
    const shown = layer === 'icon' ? all : all.filter(({ to }) => to)
    const features = shown.map((one, nth) => (layer === 'icon' ? iconOf(one, variant.hasUnknownCodes && nth % 10 === 7) : lineOf(one)))
    const count = features.length
    const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::4326' } }
    return JSON.stringify({ type: 'FeatureCollection', features, totalFeatures: count, numberMatched: count, numberReturned: count, crs })
  },
})

function iconOf(one: RegionIncident, isOdd: boolean): object {
  const { number: codi, from, to, createdAt, versionAt, road } = one
  const [sentit, sentit_desc] = SENSES[one.direction]
  return {
    ...{ type: 'Feature', id: `incidencies_icon.${codi}`, geometry: { type: 'Point', coordinates: [from.lon, from.lat] } },
    geometry_name: 'shape',
    properties: {
      ...{ codi, icon: 0, tipoinc: isOdd ? 'Cursa' : one.kind.record[0] === 'ConstructionWorks' ? 'Obres' : 'Manteniment' },
      ...{
        inici: localText(createdAt, BEGIN),
        fin: localText(createdAt + 120 * DAY, BEGIN),
        lastupd: localText(versionAt, 'YYYY/MM/DD hh:mm'),
      },
      ...{ observacions: 'TALL DEL CARRIL DRET per obres ', carretera: road.name, pkinici: from.km, desinici: '', pkfin: to?.km ?? null },
      ...{ desfin: '', sentit, sentit_desc, color: 2 },
      restriccio: one.impact === 'impossible' ? 'Tancada' : EFFECTS[codi % EFFECTS.length],
    },
  }
}

function lineOf(one: RegionIncident): object {
  const codi = one.number
  const ends = [one.from, one.to as NonNullable<RegionIncident['to']>].map(({ lon, lat }) => [lon, lat])
  return {
    ...{ type: 'Feature', id: `incidencies_tram.${codi}`, geometry: { type: 'MultiLineString', coordinates: [ends] } },
    ...{ geometry_name: 'shape', properties: { codi, color: 2 } },
  }
}
