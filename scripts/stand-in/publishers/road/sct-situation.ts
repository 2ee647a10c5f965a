import type { CatalanIncident } from '../../world/catalan-incidents.ts'
import type { RegionIncident } from '../../world/region-incidents.ts'
import type { RoadNetwork } from '../../world/road-network.ts'

const DIRECTIONS = { 'Ambdos sentits': 'both', Creixent: 'positive', Decreixent: 'negative' } as const
const RECORDS: Readonly<Record<string, RegionIncident['kind']['record']>> = {
  Obres: ['ConstructionWorks', 'constructionWorkType', ['constructionWork']],
  Retenció: ['AbnormalTraffic', 'abnormalTrafficType', ['queuingTraffic']],
  Meterologia: ['PoorEnvironmentConditions', 'poorEnvironmentType', ['badWeather']],
}

/**
 * An incident of the Servei Català de Trànsit's GML as a situation of its DATEX II publication. One in seven has no coordinates.
 */
export function asSituation(one: CatalanIncident, network: RoadNetwork): RegionIncident {
  const { id, kind, road, from, to_km, direction, effect, reportedAt } = one
  const record = RECORDS[kind.type[1]] ?? ['MaintenanceWorks', 'roadMaintenanceType', ['maintenanceWork']]
  return {
    ...{ id: `SCT_${id}`, kind: { record }, detail: record[2][0] as string, road, from, to: network.pointAt(road, to_km) },
    ...{ hasCoordinates: id % 7 !== 0, direction: DIRECTIONS[direction] },
    impact: effect.startsWith('Calçada tallada') ? 'impossible' : 'congested',
    ...{ layout: 'roadLayoutUnchanged', createdAt: reportedAt, version: 1, versionAt: reportedAt },
  }
}
