import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityZoneMembers } from '../../../lake/datasets/mobility/zone-members.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readPiped } from '../../formats/piped.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type Feed, type FeedBody, type FeedClock, type FeedSpec } from '../define.ts'

type Member = FeedRow<typeof mobilityZoneMembers>

/** Columns of the list of the study of 2020 and 2021. */
const V1_COLUMNS = ['municipio', 'municipio_mitma']
const COLUMNS = ['seccion_ine', 'distrito_ine', 'municipio_ine', 'distrito_mitma', 'municipio_mitma', 'gau_mitma']
/** The placeholder for INE codes of land that several municipalities share. */
const NONE = 'NA'

/** Common properties of both studies' lists. */
const relationFeed = ({ url, maxBytes, ...one }: Relation): Feed =>
  defineFeed({
    ...one,
    source: mitma,
    into: [mobilityZoneMembers],
    every_s: 7 * 86_400,
    get: { name: 'relation', url, maxBytes, timeout_ms: 120_000, expects: 'csv' },
    freshBy: 'fetch',
    bands: { mobility_zone_members: { atLeast: 100, minRatio: 0.9, maxRatio: 1.2 } },
  })

type Relation = Pick<FeedSpec, 'id' | 'rows' | 'liveByDefault'> & { readonly url: string; readonly maxBytes: number }

/** The zones of the study since 2022 by census section: districts, municipalities and large urban areas, all from one list. */
export const mitmaZones = relationFeed({
  id: 'mitma_zones',
  url: 'https://movilidad-opendata.mitma.es/zonificacion/relacion_ine_zonificacionMitma.csv',
  maxBytes: 32_000_000,
  *rows(bodies, _clock, diagnostics) {
    for (const { bytes } of bodies) {
      const { header, batches } = readPiped(bytes, COLUMNS)
      for (const column of header) if (!COLUMNS.includes(column)) diagnostics.unknownCode('mitma_column', column)
      const members = new Map<string, Member>()
      for (const lines of batches)
        for (const { text, fields } of lines) {
          const [section = '', , municipality = '', district = '', zone = '', gau = ''] = fields ?? []
          if (fields === null || (municipality !== NONE && !/^\d{5}$/.test(municipality)) || [district, zone, gau].includes('')) {
            diagnostics.reject(mobilityZoneMembers, fields === null ? 'another number of fields' : 'no municipality or zone', text)
            continue
          }
          const municipality_code = municipality === NONE ? null : municipality
          const member_id = municipality_code ?? district
          for (const [zone_level, zone_id] of [
            ['DISTRICT', district],
            ['MUNICIPALITY', zone],
            ['GAU', gau],
          ] as const) {
            const key = [zone_level, zone_id, member_id].join('|')
            const sections: number = (members.get(key)?.sections ?? 0) + (section === NONE ? 0 : 1)
            const province_code = municipality_code?.slice(0, 2) ?? null
            members.set(key, { study: 'V2', zone_level, zone_id, member_id, municipality_code, province_code, sections })
          }
        }
      yield batch(mobilityZoneMembers, [...members.values()])
    }
  },
})

/** The municipal zones of the study of 2020 and 2021, by municipality. Some zones of late 2020 are in no list. */
export const mitmaV1Zones = relationFeed({
  id: 'mitma_v1_zones',
  url: 'https://opendata-movilidad.mitma.es/relaciones_municipio_mitma.csv',
  maxBytes: 4_000_000,
  liveByDefault: false,
  rows: readMunicipalities,
})

function* readMunicipalities(bodies: readonly FeedBody[], _clock: FeedClock, diagnostics: Diagnostics): Generator<Batch> {
  for (const { bytes } of bodies) {
    const { header, batches } = readPiped(bytes, V1_COLUMNS)
    for (const column of header) if (!V1_COLUMNS.includes(column)) diagnostics.unknownCode('mitma_column', column)
    const members: Member[] = []
    for (const lines of batches)
      for (const { text, fields } of lines) {
        const [municipality_code = '', zone_id = ''] = fields ?? []
        if (fields === null || !/^\d{5}$/.test(municipality_code) || zone_id === '') {
          diagnostics.reject(mobilityZoneMembers, fields === null ? 'another number of fields' : 'no municipality or zone', text)
          continue
        }
        const province_code = municipality_code.slice(0, 2)
        members.push({
          ...{ study: 'V1', zone_level: 'MUNICIPALITY', zone_id, member_id: municipality_code, municipality_code, province_code },
          // Each municipality is in one zone as a whole; the list has no census sections.
          sections: null,
        })
      }
    yield batch(mobilityZoneMembers, members)
  }
}
