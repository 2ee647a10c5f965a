import { CHARGING_MODES, chargingSites } from '../../../lake/datasets/road/charging-sites.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { resolvePlace } from '../../../lake/places/resolve.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { instant } from '../../formats/datex2.ts'
import { payloadElements } from '../../formats/datex2-payload.ts'
import { attribute, child, textAt, type XmlElement } from '../../formats/xml.ts'
import { type Batch, bodyOf, type Diagnostics, defineFeed, type FeedBody } from '../define.ts'
import { roadPlace } from '../fuel/road-address.ts'
import { presentRows } from '../presence.ts'

type Site = FeedRow<typeof chargingSites>

const CONNECTORS: Readonly<Record<string, string>> = {
  ...{ iec62196T2: 'TYPE_2', iec62196T2COMBO: 'CCS2', chademo: 'CHADEMO', iec62196T1: 'TYPE_1', iec62196T1COMBO: 'CCS1' },
  ...{ iec62196T3A: 'TYPE_3A', iec62196T3C: 'TYPE_3C', domesticF: 'SCHUKO' },
  ...{ teslaConnectorEurope: 'TESLA', teslaR: 'TESLA', teslaS: 'TESLA' },
}
const MODES: Readonly<Record<string, string>> = {
  ...{ mode2AC1p: 'MODE_2_AC_1P', mode2AC3p: 'MODE_2_AC_3P', mode3AC1p: 'MODE_3_AC_1P', mode3AC3p: 'MODE_3_AC_3P', mode4DC: 'MODE_4_DC' },
}
const SITE_TYPES: Readonly<Record<string, string>> = {
  ...{ onstreet: 'ON_STREET', openSpace: 'OPEN_SPACE', inBuilding: 'IN_BUILDING', other: 'OTHER' },
}
const ACCESS: Readonly<Record<string, string>> = {
  ...{ apps: 'APP', creditCard: 'CREDIT_CARD', debitCard: 'DEBIT_CARD', rfid: 'RFID', nfc: 'NFC' },
}
/** No charging point has more, W. */
const MOST_W = 5_000_000
const ALWAYS_OPEN = /^\s*24\s*[/x]\s*7/i

/** Fields of all sites of a publication, by the publisher's names. */
const ALWAYS: Readonly<Record<string, (site: Site) => boolean>> = {
  coordinatesForDisplay: ({ position }) => position !== null,
  connectorType: ({ connector_count }) => connector_count > 0,
  maxPowerAtSocket: ({ max_power_kw }) => max_power_kw !== null,
}

/** The ministry's register of charging points at DGT: a publication of DATEX II v3 of about 85 MB. */
export const dgtChargers = defineFeed({
  id: 'dgt_chargers',
  source: dgt,
  into: [chargingSites],
  every_s: 86_400,
  get: {
    name: 'sites',
    url: 'https://infocar.dgt.es/datex2/v3/miterd/EnergyInfrastructureTablePublication/electrolineras.xml',
    maxBytes: 200_000_000,
    timeout_ms: 300_000,
    expects: 'xml',
  },
  bands: { charging_sites: { atLeast: 1, minRatio: 0.8, maxRatio: 1000 } },
  freshBy: 'fetch',
  // Every day has new bytes, few of them news.
  rawRetentionDays: 90,
  rows,
})

function* rows(bodies: readonly FeedBody[], _clock: unknown, diagnostics: Diagnostics): Generator<Batch> {
  const query = {
    type: 'EnergyInfrastructureTablePublication',
    each: 'energyInfrastructureSite',
    header: (publishedAt: number) => diagnostics.publishedAt(publishedAt),
  }
  const row = (element: XmlElement): Site | null => siteOf(element, diagnostics)
  yield* presentRows(chargingSites, payloadElements(bodyOf(bodies).bytes, query), { what: 'sites', always: ALWAYS, row })
}

function siteOf(element: XmlElement, diagnostics: Diagnostics): Site | null {
  const site_id = attribute(element, 'id')?.trim()
  if (!site_id) {
    diagnostics.reject(chargingSites, 'site without id', valueOf(element) ?? '')
    return null
  }
  const stations = element.children.filter(({ name }) => name === 'energyInfrastructureStation')
  const points = stations
    .flatMap(({ children }) => children.filter(({ name }) => name === 'refillPoint'))
    .map((one) => pointOf(one, diagnostics))
  const connectors = points.flatMap((point) => point.connectors)
  const powers = connectors.flatMap(({ power_kw }) => power_kw ?? [])
  const ways = stations.flatMap(({ children }) => children.filter(({ name }) => name === 'authenticationAndIdentificationMethods'))
  const lines = linesOf(element)
  const municipality = lines.get('Municipio') ?? null
  const place = resolvePlace({ province: lines.get('Provincia') ?? null, municipality, position: positionOf(element) }, (problem) =>
    diagnostics.warn(problem),
  )
  const address = lines.get('Dirección') ?? null
  const hours = child(element, 'operatingHours')
  const kind = hours && (attribute(hours, 'id')?.trim() || null)
  const opening_hours = textAt(hours, 'label') ?? kind ?? null
  return {
    source: dgt.id,
    site_id,
    name:
      valueOf(element)
        ?.replace(/[_\s]+/g, ' ')
        .trim() || null,
    operator: valueOf(child(element, 'operator')),
    address,
    postal_code: postalCode(element),
    ...place,
    municipality,
    ...roadPlace(address ?? ''),
    site_type: coded(SITE_TYPES, textAt(element, 'typeOfSite')),
    opening_hours: opening_hours?.replace(/\s+/g, ' ') ?? null,
    is_open_24h: opening_hours === null ? null : ALWAYS_OPEN.test(kind ?? '') || ALWAYS_OPEN.test(opening_hours),
    access: unique(ways.flatMap(({ text }) => coded(ACCESS, text || null) ?? [])),
    points,
    simultaneous_cars: points.length,
    connector_count: connectors.length,
    connector_types: unique(connectors.map(({ type }) => type)),
    max_power_kw: powers.length === 0 ? null : Math.max(...powers),
    site_updated_at: instant(element, 'lastUpdated', diagnostics),
  }
}

function pointOf(element: XmlElement, diagnostics: Diagnostics) {
  const connectors = element.children.filter(({ name }) => name === 'connector')
  return {
    id: valueOf(element) ?? attribute(element, 'id') ?? null,
    connectors: connectors.map((one) => {
      const format = textAt(one, 'connectorFormat')
      const watts = numberAt(one, 'maxPowerAtSocket', diagnostics)
      return {
        type: coded(CONNECTORS, textAt(one, 'connectorType')) ?? 'UNKNOWN',
        mode: modeOf(textAt(one, 'chargingMode'), diagnostics),
        has_cable: format === null ? null : format.startsWith('cable'),
        power_kw: watts === null || watts > MOST_W ? null : Math.round(watts) / 1000,
        voltage_v: numberAt(one, 'voltage', diagnostics),
        current_a: numberAt(one, 'maximumCurrent', diagnostics),
      }
    }),
  }
}

/** The text of a name: its first value. */
function valueOf(element: XmlElement | undefined): string | null {
  return textAt(element, 'name', 'values', 'value')
}

/** The lines of the address, by their prefixes: `Municipio: Palma`. */
function linesOf(element: XmlElement): ReadonlyMap<string, string> {
  const address = child(element, 'locationReference', '_locationReferenceExtension', 'facilityLocation', 'address')
  const lines = (address?.children ?? []).flatMap((line) => {
    const [, name, text] = /^([^:]+):\s*(.+)$/s.exec(textAt(line, 'text', 'values', 'value') ?? '') ?? []
    return name && text ? [[name.trim(), text.trim()] as const] : []
  })
  return new Map(lines)
}

function postalCode(element: XmlElement): string | null {
  const text = textAt(element, 'locationReference', '_locationReferenceExtension', 'facilityLocation', 'address', 'postcode')
  const code = text !== null && /^\d{4,5}$/.test(text) ? text.padStart(5, '0') : null
  return code !== null && code >= '01001' && code < '53000' ? code : null
}

function positionOf(element: XmlElement): { readonly lat: number; readonly lon: number } | null {
  const at = child(element, 'locationReference', 'coordinatesForDisplay')
  const [lat, lon] = [textAt(at, 'latitude'), textAt(at, 'longitude')]
  return lat === null || lon === null ? null : { lat: Number(lat), lon: Number(lon) }
}

/** A positive number; 0 and negative ones are no value here. */
function numberAt(element: XmlElement, name: string, diagnostics: Diagnostics): number | null {
  const text = textAt(element, name)
  if (text === null) return null
  const value = Number(text)
  if (!Number.isFinite(value)) diagnostics.warn(`${name} is no number`)
  return value > 0 && Number.isFinite(value) ? value : null
}

/** Our code of a published one, or the published one: the check of rows counts unknown ones in columns of codes. */
function coded(codes: Readonly<Record<string, string>>, text: string | null): string | null {
  return text === null ? null : (codes[text] ?? text)
}

function modeOf(text: string | null, diagnostics: Diagnostics): string | null {
  if (text !== null && MODES[text] === undefined) diagnostics.unknownCode(CHARGING_MODES, text)
  return coded(MODES, text)
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
