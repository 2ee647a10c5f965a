import { ENVIRONMENTAL_LABELS, lowEmissionZones } from '../../../lake/datasets/road/low-emission-zones.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { locate } from '../../../lake/places/locate.ts'
import { areaMiddle } from '../../../lake/places/middles.ts'
import { municipalityByCode, placeAt } from '../../../lake/places/municipalities.ts'
import { polygonsAreaM2 } from '../../../lake/places/rings.ts'
import { polygonsOfRing } from '../../../lake/places/simple-rings.ts'
import type { Line, MultiPolygon, Polygon } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { firstText, hoursOf, labelConditionsOf, ringsOf, xmlFiles, type ZoneHours, zoneName } from '../../formats/controlled-zones.ts'
import { payloadElements } from '../../formats/datex2-payload.ts'
import { attribute, type XmlElement } from '../../formats/xml.ts'
import { batch, type Diagnostics, defineFeed } from '../define.ts'
import { type Get, requestOf } from '../request.ts'

type Zone = FeedRow<typeof lowEmissionZones>
type Warn = (text: string) => void

const FOLDER = 'https://infocar.dgt.es/datex2/v3/dgt/zbe/ControledZonePublication/'
const FILE: Get = {
  name: 'zones.xml',
  url: FOLDER,
  maxBytes: 16_000_000,
  maxDecodedBytes: 32_000_000,
  timeout_ms: 30_000,
  expects: 'xml',
}
/** A smaller ring is a leftover of drawing, m². */
const LEAST_M2 = 1
/** Madrid's zone has 23,000 corners of three elements each. */
const LIMITS = { elements: 1_000_000 }
const LABELS: Readonly<Record<string, string>> = { ...asPublished(), 'SIN DISTINTIVO': 'NONE' }

/** DGT's low-emission zones: a directory with a publication of DATEX II v3 for each municipality. */
export const dgtZones = defineFeed({
  id: 'dgt_zones',
  source: dgt,
  into: [lowEmissionZones],
  every_s: 86_400,
  plans: [
    {
      requests: [FILE],
      directory: {
        index: requestOf({ name: 'index', url: FOLDER, maxBytes: 1_000_000, timeout_ms: 30_000, expects: 'html' }),
        files: xmlFiles,
        leastShare: 0.9,
      },
    },
  ],
  bands: { low_emission_zones: { atLeast: 1, minRatio: 0.8, maxRatio: 1000 } },
  groups: { low_emission_zones: { column: 'file', least: 1, mostMissing: 0.2 } },
  freshBy: 'fetch',
  *rows(bodies, _clock, diagnostics) {
    for (const { name, bytes } of bodies) {
      let published_at = 0
      const query = {
        type: 'ControlledZoneTablePublication',
        each: 'controlledZone',
        limits: LIMITS,
        header: (at: number) => (published_at = at),
      }
      for (const elements of payloadElements(bytes, query))
        yield batch(
          lowEmissionZones,
          elements.flatMap((element) => zoneOf(element, { file: name, published_at }, diagnostics) ?? []),
        )
    }
  },
})

function zoneOf(element: XmlElement, of: Pick<Zone, 'file' | 'published_at'>, diagnostics: Diagnostics): Zone | null {
  const source_id = attribute(element, 'id')?.trim()
  if (!source_id) {
    diagnostics.reject(lowEmissionZones, 'zone without id', of.file)
    return null
  }
  const warn: Warn = (text) => diagnostics.warn(text)
  const published = ringsOf(element)
  const rings = published.map((corners) => partsOf(corners.map(cornerOf), warn))
  const parts = rings.flat()
  const area = parts.length === 0 ? null : parts
  const hours = hoursOf(element, warn)
  return {
    source: dgt.id,
    zone_id: slug(source_id),
    source_id,
    name: (zoneName(element) ?? source_id.replace(/^\d{5}_/, '')).replace(/\s+/g, ' '),
    ...of,
    ...placeOf(source_id, area, warn),
    access_restriction: firstText(element, 'accessRestrictionType'),
    label_conditions: labelConditionsOf(element).map(({ is_negated, labels }) => ({
      is_negated,
      labels: labels.map((label) => labelOf(label, diagnostics)),
    })),
    hours: hours.map((one) => ({ ...one })),
    is_all_day: hours.length === 0 ? null : hours.every(isWholeDay),
    valid_from: dayOf(firstText(element, 'overallStartTime')),
    valid_until: dayOf(firstText(element, 'overallEndTime')),
    area,
    area_km2: area && Math.round(polygonsAreaM2(area)) / 1e6,
    rings_left_out: rings.filter(({ length }) => length === 0).length,
  }
}

/** A corner in Spain; null for any other: some councils write UTM metres as degrees. */
function cornerOf({ lat, lon }: { readonly lat: string; readonly lon: string }): Line[0] | null {
  const { position, problem } = locate({ lat: lat === '' ? Number.NaN : Number(lat), lon: lon === '' ? Number.NaN : Number(lon) })
  return position && problem === null ? [position.lon, position.lat] : null
}

/**
 * The polygons of a published ring, which may be open, run either way or meet itself. None for a ring with an implausible
 * corner: what the others enclose is not the zone.
 */
export function partsOf(corners: readonly (Line[0] | null)[], warn: Warn): Polygon[] {
  const known = corners.filter((corner) => corner !== null)
  if (known.length < corners.length) {
    warn('a ring with a corner that is no place in Spain: left out')
    return []
  }
  const [first, last] = [known[0], known.at(-1)]
  const isClosed = first?.[0] === last?.[0] && first?.[1] === last?.[1]
  if (!isClosed) warn('a ring that is not closed: closed')
  const closed = first && !isClosed ? [...known, first] : known
  const parts = polygonsOfRing(
    closed.filter(([x, y], at) => at === 0 || x !== closed[at - 1]?.[0] || y !== closed[at - 1]?.[1]),
    LEAST_M2,
  )
  if (parts === null || parts.length === 0) warn('a ring without an area: left out')
  else if (parts.flat().length > 1) warn('a ring that meets itself: split into polygons and holes')
  return parts ?? []
}

/** The place by the municipality's code, with which ids begin; else by the outline. */
function placeOf(
  source_id: string,
  area: MultiPolygon | null,
  warn: Warn,
): Pick<Zone, 'province_code' | 'municipality_code' | 'municipality'> {
  const stated = municipalityByCode(/^\d{5}(?=_)/.exec(source_id)?.[0] ?? '')
  if (!stated) warn('a zone whose id begins with no code of a municipality')
  const around = stated || !area ? null : placeAt(areaMiddle(area))
  const municipality_code = stated?.code ?? around?.municipality_code ?? null
  return {
    province_code: municipality_code?.slice(0, 2) ?? around?.province_code ?? null,
    municipality_code,
    municipality: municipality_code === null ? null : (municipalityByCode(municipality_code)?.name ?? null),
  }
}

function labelOf(text: string, diagnostics: Diagnostics): string {
  const code = LABELS[text.toUpperCase()]
  if (code === undefined) diagnostics.unknownCode(ENVIRONMENTAL_LABELS, text)
  return code ?? text
}

function asPublished(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(ENVIRONMENTAL_LABELS.codes).flatMap((code) => (code === 'NONE' ? [] : [[code, code]])))
}

function isWholeDay({ from, until }: ZoneHours): boolean {
  return from === '00:00:00' && (until === from || until >= '23:59:00')
}

/** The day that is written: times of this publication are local, whatever their zone. */
function dayOf(text: string | null): string | null {
  return /^\d{4}-\d\d-\d\d(?=T|$)/.exec(text ?? '')?.[0] ?? null
}

function slug(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
