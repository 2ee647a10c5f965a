import { zoneOf } from '../../../lake/places/clocks.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { offsetAt } from '../../../lake/schema/time.ts'
import type { AlertZone } from '../world/alert-zones.ts'
import type { Warning } from '../world/warnings.ts'
import { packTar } from './tar.ts'
import { type Xml, xmlOf } from './xml.ts'

const HOUR_MS = 3_600_000

const LEVELS = [
  { nivel: 'verde', severity: 'Minor', english: 'Minor', instruction: null, advice: null },
  {
    ...{ nivel: 'amarillo', severity: 'Moderate', english: 'Moderate' },
    instruction: 'Esté atento. Manténgase informado de la predicción meteorológica más actualizada.',
    advice: 'Be aware, keep up to date with the latest weather forecast.',
  },
  {
    ...{ nivel: 'naranja', severity: 'Severe', english: 'Severe' },
    instruction: 'Esté preparado. Tome precauciones y manténgase informado de la predicción meteorológica más actualizada.',
    advice: 'Be prepared. Take precautions and keep up to date with the latest weather forecast.',
  },
  {
    ...{ nivel: 'rojo', severity: 'Extreme', english: 'Extreme' },
    instruction: 'Tome medidas preventivas y actúe según las indicaciones de las autoridades.',
    advice: 'Take preventive measures and act as the authorities say.',
  },
] as const

/** Certainty by the percentage at the start of a probability. */
const certaintyOf = ({ probability }: Warning): string => (probability.startsWith('10%') ? 'Possible' : 'Likely')

/** The package of a publication: a CAP 1.2 message for each warning, in a plain tar. `shift_ms` moves the sending times. */
export function aemetPackage(
  warnings: readonly Warning[],
  about: { readonly publishedAt: number; readonly shift_ms: number; readonly hasUnknownCodes: boolean },
): Buffer {
  const { publishedAt, shift_ms, hasUnknownCodes } = about
  const odd = hasUnknownCodes ? warnings.find(({ level }) => level > 0) : undefined
  const files = warnings.map((warning) => {
    const shifted = { ...warning, sentAt: warning.sentAt + shift_ms }
    const name = `Z_CAP_C_LEMM_${stampOf(shifted.sentAt)}_AFAZ${tailOf(shifted)}.xml`
    return { name, bytes: Buffer.from(capText(shifted, warning === odd ? 'XX' : null)) }
  })
  return packTar(files, publishedAt)
}

/** A message. `unknown` is a code that replaces the phenomenon's code. */
function capText(warning: Warning, unknown: string | null): string {
  const { sentAt, updates, kind, level } = warning
  const [code, name, english] = kind.phenomenon
  const { nivel, severity, english: rank, instruction, advice } = LEVELS[level]
  const sender = 'http://www.aemet.es'
  const size = warning.value === null ? (kind.text ?? '') : `${warning.value} ${kind.values?.unit}`
  const [parameter, label, englishLabel] = kind.parameter
  const place = level === 0 ? 'CCAA' : (warning.zones[0] as AlertZone).name
  const info = (language: string, event: string, texts: { advice: string | null; label: string; who: string }): Xml => ({
    ...{ language, category: 'Met', event, responseType: level === 0 ? 'None' : 'Monitor', urgency: 'Future', severity },
    certainty: certaintyOf(warning),
    eventCode: named('fenomeno', `${unknown ?? code};${name}`),
    ...{ effective: localText(sentAt, warning), onset: localText(warning.onset, warning) },
    expires: localText(warning.isWithdrawal ? sentAt : warning.expires, warning),
    ...{ senderName: texts.who, headline: `${event}. ${place}` },
    description: level === 0 ? null : `${texts.label}${size === '' ? '' : `: ${size}`}.`,
    ...{ instruction: texts.advice, web: 'https://www.aemet.es/es/eltiempo/prediccion/avisos', contact: 'AEMET' },
    parameter: [
      named('nivel', nivel),
      ...(level === 0 ? [] : [named('parametro', `${parameter};${texts.label};${size}`), named('probabilidad', warning.probability)]),
    ],
    area: warning.zones.map((zone) => ({
      ...{ areaDesc: zone.name, polygon: zone.rings.map(polygonText), geocode: named('zona', zone.code) },
    })),
  })
  const alert = {
    '@xmlns': 'urn:oasis:names:tc:emergency:cap:1.2',
    ...{ identifier: identifierOf(warning, sentAt), sender, sent: utcText(sentAt), status: 'Actual' },
    ...{ msgType: updates === null ? 'Alert' : 'Update', scope: 'Public' },
    references: updates === null ? null : `${sender},${identifierOf(warning, updates)},${utcText(updates)}`,
    info: [
      info('es-ES', `Aviso de ${name.toLowerCase()} de nivel ${nivel}`, {
        ...{ advice: instruction, label, who: 'AEMET. Agencia Estatal de Meteorología' },
      }),
      info('en-GB', `${rank} ${english} warning`, { advice, label: englishLabel, who: 'AEMET. State Meteorological Agency' }),
    ],
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlOf({ alert })}\n`
}

/** A value with a name of AEMET's. */
function named(name: string, value: string): Xml {
  return { valueName: `AEMET-Meteoalerta ${name}`, value }
}

/** Latitude before longitude, whole degrees with a decimal point. */
function polygonText(ring: Line): string {
  const degrees = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value))
  return ring.map(([lon, lat]) => `${degrees(lat)},${degrees(lon)}`).join(' ')
}

/** Zone (community for a green message), phenomenon, parameter, day and hour (UTC) of the end, then the sending time (s). */
function tailOf({ zones, level, kind, expires, sentAt }: Warning): string {
  const [{ code }] = zones as [AlertZone]
  const place = level === 0 ? `61VV${code.slice(0, 2)}` : code
  const end = new Date(expires + 1000).toISOString()
  return `${place}${kind.phenomenon[0]}${kind.parameter[0]}${end.slice(8, 10)}${end.slice(11, 13)}${Math.floor(sentAt / 1000)}`
}

function identifierOf(warning: Warning, sentAt: number): string {
  return `2.49.0.0.724.0.ES.${stampOf(sentAt)}.${tailOf({ ...warning, sentAt })}`
}

/** `20260906215001`, in UTC. */
export function stampOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace(/\D/g, '')
}

/** UTC as AEMET writes it: `2026-09-06T21:50:01-00:00`. */
function utcText(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}-00:00`
}

/** Local time with the UTC offset of the first zone. */
function localText(instant: number, { zones }: Warning): string {
  const offset = offsetAt(instant, zoneOf((zones[0] as AlertZone).province_code))
  const hours = String(offset / HOUR_MS).padStart(2, '0')
  return `${new Date(instant + offset).toISOString().slice(0, 19)}+${hours}:00`
}
