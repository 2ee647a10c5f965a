import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityZoneMembers, mobilityZones } from '../../../lake/datasets/mobility/zones.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { readPiped } from '../../formats/piped.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type Feed, type FeedBody, type FeedClock, type FeedSpec } from '../define.ts'
import { watchPresence } from '../presence.ts'
import type { Get } from '../request.ts'
import { ZONE_FILES } from './mitma-files.ts'

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

type Zone = FeedRow<typeof mobilityZones>

/** Lists of municipal zones have a nameless column before these: the line number. */
const NAME_COLUMNS = ['ID', 'name']
/** Columns of files without a header. */
const POPULATION_COLUMNS = ['ID', 'population']

/** Names and population of the zones of the study since 2022: two lists for each level. */
export const mitmaZoneNames = defineFeed({
  id: 'mitma_zone_names',
  source: mitma,
  into: [mobilityZones],
  every_s: 7 * 86_400,
  plans: [
    { requests: ZONE_FILES.flatMap(({ word, folder }) => [listRequest('nombres', word, folder), listRequest('poblacion', word, folder)]) },
  ],
  freshBy: 'fetch',
  bands: { mobility_zones: { atLeast: 100, minRatio: 0.9, maxRatio: 1.2 } },
  *rows(bodies, _clock, diagnostics) {
    for (const { zone_level, word } of ZONE_FILES) {
      const bytesOf = (what: string): Buffer[] => bodies.filter(({ name }) => name.includes(`${what}_${word}`)).map(({ bytes }) => bytes)
      // When files are tried by hand, a list with an unknown name counts as names of municipal zones.
      const others = zone_level === 'MUNICIPALITY' ? bodies.filter(({ name }) => !/(nombres|poblacion)_/.test(name)) : []
      const names = [...bytesOf('nombres'), ...others.map(({ bytes }) => bytes)]
      yield batch(mobilityZones, zonesOf({ zone_level, names, populations: bytesOf('poblacion') }, diagnostics))
    }
  },
})

function listRequest(what: 'nombres' | 'poblacion', word: string, folder: string): Get {
  const name = `${what}_${word}`
  const url = `https://movilidad-opendata.mitma.es/zonificacion/zonificacion_${folder}/${name}.csv`
  return { name, url, maxBytes: 4_000_000, expects: 'csv' }
}

/** The zones of a level; a population without a zone is counted as a bad row. */
function zonesOf(
  { zone_level, names, populations }: { zone_level: string; names: readonly Buffer[]; populations: readonly Buffer[] },
  diagnostics: Diagnostics,
): Zone[] {
  const population = populationOf(populations, diagnostics)
  const presence = watchPresence<Zone>(`zones of the level ${zone_level}`, { 'a population': (zone) => zone.population !== null })
  const zones: Zone[] = []
  for (const bytes of names) {
    const { header, batches } = readPiped(bytes, NAME_COLUMNS)
    for (const column of header) if (column !== '' && !NAME_COLUMNS.includes(column)) diagnostics.unknownCode('mitma_column', column)
    for (const lines of batches)
      for (const { text, fields } of lines) {
        const [zone_id = '', name = ''] = fields ?? []
        if (fields === null || zone_id === '' || name === '') {
          diagnostics.reject(mobilityZones, fields === null ? 'another number of fields' : 'no id or name', text)
          continue
        }
        const zone: Zone = { study: 'V2', zone_level, zone_id, name, population: population.get(zone_id)?.value ?? null }
        population.delete(zone_id)
        if (populations.length > 0) presence.see(zone)
        zones.push(zone)
      }
  }
  presence.end()
  for (const { text } of population.values()) diagnostics.reject(mobilityZones, 'a population without a named zone', text)
  return zones
}

/** Populations by zone, with their lines; null for `NA` (land shared by several municipalities). */
function populationOf(
  lists: readonly Buffer[],
  diagnostics: Diagnostics,
): Map<string, { readonly text: string; readonly value: number | null }> {
  const found = new Map<string, { readonly text: string; readonly value: number | null }>()
  for (const bytes of lists)
    for (const lines of readPiped(bytes, POPULATION_COLUMNS, POPULATION_COLUMNS).batches)
      for (const { text, fields } of lines) {
        if (fields === null) diagnostics.reject(mobilityZones, 'another number of fields', text)
        else found.set(fields[0] as string, { text, value: pointNumber(fields[1] as string) })
      }
  return found
}
