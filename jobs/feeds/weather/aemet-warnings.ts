import { aemet } from '../../../lake/datasets/weather/sources.ts'
import { alertZone, weatherAlerts } from '../../../lake/datasets/weather/weather-alerts.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { type CapInfo, type CapMessage, readCap } from '../../formats/cap.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { readTar } from '../../formats/tar.ts'
import { textAt, xmlElements } from '../../formats/xml.ts'
import { batch, bodyOf, type Diagnostics, type DownloadStep, defineFeed, FormatError, lookUp } from '../define.ts'
import { newestTime } from '../newest-time.ts'
import { aemetRequest } from './aemet.ts'

/** Levels by AEMET's names; `verde` means "no warning". */
const LEVELS: Readonly<Record<string, string>> = { amarillo: 'YELLOW', naranja: 'ORANGE', rojo: 'RED' }

/** Levels by CAP's severity, for a message without one. */
const LEVELS_BY_SEVERITY: Readonly<Record<string, string>> = { Moderate: 'YELLOW', Severe: 'ORANGE', Extreme: 'RED' }

/** Phenomena by AEMET's code of the event. `VI` is wind here. */
const PHENOMENA: Readonly<Record<string, string>> = {
  PR: 'RAIN',
  TO: 'THUNDERSTORM',
  VI: 'WIND',
  NE: 'SNOW',
  AT: 'HIGH_TEMPERATURE',
  BT: 'LOW_TEMPERATURE',
  CO: 'COASTAL',
  VS: 'DUST',
  AL: 'AVALANCHE',
  GA: 'GALERNA',
  RI: 'RISSAGA',
  NI: 'FOG',
  DH: 'THAW',
}

/** Quantities by AEMET's code of the parameter. `VI` is visibility here. */
const PARAMETERS: Readonly<Record<string, string>> = {
  P1: 'PRECIPITATION_1H',
  P2: 'PRECIPITATION_12H',
  NV: 'SNOW_24H',
  RM: 'GUST',
  TO: 'THUNDERSTORM',
  TA: 'TEMPERATURE_MAX',
  TI: 'TEMPERATURE_MIN',
  CO: 'COASTAL',
  VI: 'VISIBILITY',
  AL: 'AVALANCHE',
  GA: 'GALERNA',
  RI: 'RISSAGA',
  NI: 'FOG',
  DH: 'THAW',
}

/** Units by how AEMET writes them. */
const UNIT_CODES: Readonly<Record<string, string>> = { mm: 'mm', cm: 'cm', m: 'm', 'km/h': 'km/h', ºC: 'Cel', '°C': 'Cel' }

type Alert = FeedRow<typeof weatherAlerts>

const SITE = 'https://www.aemet.es'
const RSS = `${SITE}/documentos_d/eltiempo/prediccion/avisos/rss/CAP_AFAE_RSS.xml`
const PACKAGE = /\/Z_CAP_C_LEMM_\d{14}_AFAE\.tar\.gz$/
/** Packages of 2026 have 157 to 251 kB, 3.4 MB unpacked. */
const MAX_BYTES = 8_000_000
const MAX_DECODED_BYTES = 64_000_000

/** Names of AEMET's codes, parameters and zones in a message. */
const NAMES = {
  phenomenon: 'AEMET-Meteoalerta fenomeno',
  level: 'AEMET-Meteoalerta nivel',
  parameter: 'AEMET-Meteoalerta parametro',
  probability: 'AEMET-Meteoalerta probabilidad',
  zone: 'AEMET-Meteoalerta zona',
} as const

/**
 * Time sent, then the common part of a warning's messages, then the time again in seconds:
 * `….20240405080113.622201VIRM06221712304073`.
 */
const IDENTIFIER = /\.\d{14}\.(\w+?([A-Z]{2})\w\w\d{4})\d{10}$/

const RANGE = /^(\d+)\s*%\s*-\s*(\d+)\s*%$/
const MORE_THAN = /^mayor (?:del? )?(\d+)\s*%$/i

/** The package is gzipped on the website and plain in OpenData; its first bytes decide. */
const tarPackage = {
  maxBytes: MAX_BYTES,
  maxDecodedBytes: MAX_DECODED_BYTES,
  expects: 'tar',
  packed: 'gzip',
} as const

/**
 * AEMET's weather warnings: a package with a CAP message for each warning in force or to come. The website needs no key;
 * OpenData is used if that fails and a key is set. The newest message dates the package: withdrawals are messages, too.
 */
export const aemetWarnings = defineFeed({
  id: 'aemet_warnings',
  source: aemet,
  into: [weatherAlerts],
  every_s: 600,
  get: [
    {
      ...tarPackage,
      name: 'rss',
      url: RSS,
      accept: 'application/rss+xml, application/xml;q=0.9, application/gzip',
      twoStep: { hosts: [new URL(SITE).host], to: readRss },
    },
    {
      ...aemetRequest('opendata', 'avisos_cap/ultimoelaborado/area/esp', MAX_DECODED_BYTES),
      ...tarPackage,
      maxBytes: MAX_DECODED_BYTES,
    },
  ],
  // The archive is complete or damaged, never partial. It may have no warnings, and those of a day expire together.
  bands: { weather_alerts: { atLeast: 0, minRatio: 0, maxRatio: 1_000_000 } },
  freshBy: 'fetch',
  async *rows(bodies, { fetched_at }, diagnostics) {
    const body = bodyOf(bodies)
    const files = (await readTar(body.bytes)).filter(({ name }) => name.endsWith('.xml'))
    if (files.length === 0) throw new FormatError(`${body.name}: the package has no messages`)
    const messages: CapMessage[] = []
    for (const { name, bytes } of files)
      try {
        messages.push(readCap(bytes, diagnostics.warn))
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        diagnostics.reject(weatherAlerts, error.message, name)
      }
    yield batch(
      weatherAlerts,
      distinct(inForce(messages, fetched_at, diagnostics).flatMap((message) => alertOf(message, diagnostics) ?? [])),
    )
  },
})

/** The address of the newest package, from the first item of the list. */
function readRss(bytes: Buffer): DownloadStep {
  let links: (string | null)[]
  try {
    links = [...xmlElements(bytes, { root: 'rss', each: ['item'] })].flat().map((item) => textAt(item, 'link'))
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    return { refused: `no list of packages: ${cause.message}`, retryable: true }
  }
  const link = links.find((one) => one !== null && URL.canParse(one, SITE) && PACKAGE.test(new URL(one, SITE).pathname))
  if (!link) return { refused: 'a list without a link to a package (Z_CAP_C_LEMM_…_AFAE.tar.gz)', retryable: true }
  const url = new URL(link, SITE)
  url.protocol = 'https:'
  return { url: url.href }
}

/** Actual messages, without withdrawals and without messages that another one in the package replaces. */
function inForce(messages: readonly CapMessage[], fetchedAt: number, diagnostics: Diagnostics): CapMessage[] {
  const real = messages.filter(({ status }) => status === 'Actual')
  for (const { status } of messages) if (status !== 'Actual') diagnostics.warn(`a message with status ${status.slice(0, 20)} is left out`)
  const sent = real.map((message) => message.sent.at)
  if (real.length > 0) diagnostics.publishedAt(newestTime(sent, fetchedAt))
  const replaced = new Set(real.flatMap(({ references }) => references))
  return real.filter((message) => !replaced.has(message.identifier) && !isWithdrawal(message))
}

/** AEMET withdraws a warning with an update that expires when sent, CAP with a message type. */
function isWithdrawal({ msgType, sent, infos }: CapMessage): boolean {
  return msgType === 'Cancel' || infos.some(({ expires }) => expires !== null && expires.at <= sent.at)
}

/** The row of a message; null for a green message, and for a rejected one. */
function alertOf(message: CapMessage, diagnostics: Diagnostics): Alert | null {
  const es = message.infos.find(({ language }) => language.startsWith('es')) ?? message.infos[0]
  if (es?.severity === 'Minor' || es?.parameters.get(NAMES.level)?.toLowerCase() === 'verde') return null
  try {
    if (!es) throw new FormatError('no info')
    return rowOf(message, es, diagnostics)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    diagnostics.reject(weatherAlerts, error.message, message.identifier)
    return null
  }
}

function rowOf(message: CapMessage, es: CapInfo, diagnostics: Diagnostics): Alert {
  const en = message.infos.find(({ language }) => language.startsWith('en')) ?? null
  const { identifier, sent, references } = message
  const [, source_id, phenomenon] = IDENTIFIER.exec(identifier) ?? []
  const zones = zonesOf(es, diagnostics)
  const expires = given(es.expires, 'expires')
  // By CAP, the onset defaults to the message's time.
  const onset = es.onset ?? { at: sent.at, utcOffset: expires.utcOffset }
  return {
    source: aemet.id,
    source_id: source_id ?? identifier,
    phenomenon: coded(PHENOMENA, given(partsOf(es.eventCodes.get(NAMES.phenomenon))[0] ?? phenomenon, NAMES.phenomenon)),
    level: levelOf(es),
    event: given(es.event, 'event'),
    event_en: en?.event ?? null,
    headline: es.headline,
    headline_en: en?.headline ?? null,
    description: es.description,
    description_en: en?.description ?? null,
    instruction: es.instruction,
    instruction_en: en?.instruction ?? null,
    severity: upper(es.severity),
    urgency: upper(es.urgency),
    certainty: upper(es.certainty),
    response_type: upper(es.responseType),
    message_type: message.msgType.toUpperCase(),
    identifier,
    updates: [...references].sort(),
    sent_at: sent.at,
    onset_at: onset.at,
    onset_utc_offset: onset.utcOffset,
    expires_at: expires.at,
    expires_utc_offset: expires.utcOffset,
    ...parameterOf(es, diagnostics),
    ...probabilityOf(es, diagnostics),
    zone_codes: zones.map(({ code }) => code),
    zones,
    province_codes: [...new Set(zones.flatMap(({ province_code }) => province_code ?? []))].sort(),
    area: given(
      es.areas.flatMap(({ rings }) => rings.map((ring) => [ring])),
      'polygon',
    ),
  }
}

/** The zones of a message by their codes, each once. */
function zonesOf(
  { areas }: CapInfo,
  diagnostics: Diagnostics,
): { code: string; name: string; province_code: string | null; is_coastal: boolean }[] {
  const zones = areas.map(({ name, geocodes }) => {
    const code = given(geocodes.get(NAMES.zone), NAMES.zone)
    const about = alertZone(code)
    if (!about) diagnostics.unknownCode('aemet_zone', code)
    return { code, name: given(name, 'areaDesc'), province_code: about?.province_code ?? null, is_coastal: about?.is_coastal ?? false }
  })
  return [...new Map(given(zones, 'area').map((zone) => [zone.code, zone])).values()].sort((one, other) => (one.code < other.code ? -1 : 1))
}

function levelOf({ parameters, severity }: CapInfo): string {
  const named = parameters.get(NAMES.level)
  return named === undefined ? given(lookUp(LEVELS_BY_SEVERITY, severity), NAMES.level) : (lookUp(LEVELS, named.toLowerCase()) ?? named)
}

/** Code, label and value of `TA;Temperatura máxima;34 ºC`; some parameters have no value, or several numbers. */
function parameterOf(
  { parameters }: CapInfo,
  diagnostics: Diagnostics,
): Pick<Alert, 'parameter' | `parameter_${'value' | 'unit' | 'text'}`> {
  const [code, , ...rest] = partsOf(parameters.get(NAMES.parameter))
  const text = rest.join(';') || null
  const [, number = '', written] = /^(\S+)\s+(\S+)$/.exec(text ?? '') ?? []
  const value = pointNumber(number.replace(',', '.'))
  const unit = written === undefined ? undefined : lookUp(UNIT_CODES, written)
  const isQuantity = value !== null && !Number.isNaN(value)
  if (isQuantity && unit === undefined) diagnostics.unknownCode('aemet_unit', String(written))
  const quantity = isQuantity && unit !== undefined ? { parameter_value: value, parameter_unit: unit } : NO_QUANTITY
  return { parameter: code === undefined ? null : coded(PARAMETERS, code), ...quantity, parameter_text: text }
}

const NO_QUANTITY = { parameter_value: null, parameter_unit: null } as const

function probabilityOf({ parameters }: CapInfo, diagnostics: Diagnostics): Pick<Alert, `probability_${'min' | 'max'}_pct`> {
  const text = parameters.get(NAMES.probability)
  const [, from, to] = RANGE.exec(text ?? '') ?? [null, MORE_THAN.exec(text ?? '')?.[1], '100']
  if (from !== undefined) return { probability_min_pct: Number(from), probability_max_pct: Number(to) }
  if (text !== undefined) diagnostics.unknownCode('aemet_probability', text)
  return { probability_min_pct: null, probability_max_pct: null }
}

/** If two warnings share a `source_id`, the later one gets its full identifier, so none is lost. */
function distinct(alerts: readonly Alert[]): Alert[] {
  const taken = new Set<string>()
  return alerts
    .toSorted((one, other) => one.sent_at - other.sent_at || (one.identifier < other.identifier ? -1 : 1))
    .map((alert) => {
      const row = taken.has(alert.source_id) ? { ...alert, source_id: alert.identifier } : alert
      taken.add(row.source_id)
      return row
    })
}

function partsOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(';').map((part) => part.trim())
}

/** Our code; an unknown one stays as published, and the row check counts it. */
function coded(table: Readonly<Record<string, string>>, code: string): string {
  return lookUp(table, code) ?? code
}

function upper(text: string | null): string | null {
  return text === null ? null : text.toUpperCase()
}

/** A value that every warning needs. Throws `FormatError` if it is missing. */
function given<T>(value: T | null | undefined, name: string): T {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) throw new FormatError(`no ${name}`)
  return value
}
