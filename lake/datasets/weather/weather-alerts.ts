import { col, orNull } from '../../schema/columns.ts'
import { PERCENT } from '../../schema/quantities.ts'
import { weatherDataset } from '../domains.ts'
import {
  ALERT_LEVELS,
  ALERT_PARAMETERS,
  ALERT_PHENOMENA,
  ALERT_UNITS,
  CAP_CERTAINTIES,
  CAP_MESSAGE_TYPES,
  CAP_RESPONSES,
  CAP_SEVERITIES,
  CAP_URGENCIES,
} from './codes.ts'
import { aemet } from './sources.ts'

/** INE province codes, by the digits that AEMET's island zones have instead. */
const ISLANDS: Readonly<Record<string, string>> = {
  ...{ '53': '07', '54': '07', '55': '07' },
  ...{ '90': '35', '91': '35', '92': '35' },
  ...{ '93': '38', '94': '38', '95': '38', '96': '38' },
}
/** Autonomous community, province, number in the province; coastal waters end in `C`. */
const ZONE = /^[67]\d(\d\d)\d\d(C?)$/
const MAX_PROVINCE = 52

/** Parses a zone code of AEMET's Meteoalerta plan (`774602`, `610403C`); null for any other form. */
export function alertZone(code: string): { readonly province_code: string; readonly is_coastal: boolean } | null {
  const [, digits, mark] = ZONE.exec(code) ?? []
  if (digits === undefined) return null
  const province_code = ISLANDS[digits] ?? digits
  return Number(province_code) >= 1 && Number(province_code) <= MAX_PROVINCE ? { province_code, is_coastal: mark === 'C' } : null
}

/** A text that may be missing in one of the two languages. */
const text = (id: number, about: string, example: string) => col.string(id, about, orNull(example))
const offset = (id: number, of: string) =>
  col.string(id, `UTC offset in the source's \`${of}\`: local time of the zone.`, { example: '+02:00' })
const percent = (id: number, about: string, example: number) => col.integer(id, about, { ...PERCENT, nullable: true, example })

/**
 * Official weather warnings: one row per state of a warning, a message of the Common Alerting Protocol (CAP 1.2). Each package is
 * complete, so a warning ends with the first package without it. Truncated archives are rejected.
 */
export const weatherAlerts = weatherDataset({
  id: 'weather_alerts',
  title: 'Weather warnings',
  about: 'Official weather warnings of AEMET by zone, with every state and their polygons.',
  sources: [aemet],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'aemet' }),
    source_id: col.string(2, 'Common part of the identifiers of a warning: zone, phenomenon, parameter, day and hour (UTC) of its end.', {
      example: '622201VIRM0622',
    }),
    alert_id: col.string(3, 'Public id, stable for the life of the warning.', { example: 'wal_7Q2M9KX4B1TZ5H3D' }),
    first_seen_at: col.instant(4, 'First publication that contained it.', { example: '2024-04-05T08:10:00.000Z' }),
    observed_at: col.instant(5, 'Publication of this state.', { example: '2024-04-05T08:10:00.000Z' }),
    phenomenon: col.code(6, 'Phenomenon.', ALERT_PHENOMENA, { example: 'WIND' }),
    level: col.code(7, 'Level.', ALERT_LEVELS, { example: 'YELLOW' }),
    event: col.string(8, 'Event, in Spanish.', { example: 'Aviso de vientos de nivel amarillo' }),
    event_en: text(9, 'Event, in English.', 'Moderate wind warning'),
    headline: text(10, 'Headline in Spanish.', 'Aviso de vientos de nivel amarillo. Pirineo oscense'),
    headline_en: text(11, 'Headline in English.', 'Moderate wind warning. Pirineo oscense'),
    description: text(12, 'Description in Spanish, with the comment of the forecaster.', 'Rachas máximas: 80 km/h.'),
    description_en: text(
      13,
      'Description in English; comments of the forecaster are in Spanish here too.',
      'Maximum gust of wind: 80 km/h.',
    ),
    instruction: text(14, 'What to do, in Spanish.', 'Esté atento.'),
    instruction_en: text(15, 'What to do, in English.', 'Be aware.'),
    severity: col.code(16, 'Severity by CAP.', CAP_SEVERITIES, orNull('MODERATE')),
    urgency: col.code(17, 'Urgency by CAP.', CAP_URGENCIES, orNull('FUTURE')),
    certainty: col.code(18, 'Certainty by CAP.', CAP_CERTAINTIES, orNull('POSSIBLE')),
    response_type: col.code(19, 'What to do, by CAP.', CAP_RESPONSES, orNull('MONITOR')),
    message_type: col.code(20, 'Whether its newest message was its first.', CAP_MESSAGE_TYPES, { example: 'UPDATE' }),
    identifier: col.string(21, 'Identifier of its newest message.', {
      example: '2.49.0.0.724.0.ES.20240405080113.622201VIRM06221712304073',
    }),
    updates: col.list([22, 23], 'Identifiers of the messages that the newest one replaces.', col.string(0, 'Identifier.'), {
      example: ['2.49.0.0.724.0.ES.20240404093441.622201VIRM06221712223281'],
    }),
    sent_at: col.instant(24, 'When its newest message was sent.', { example: '2024-04-05T08:01:13.000Z' }),
    onset_at: col.instant(25, 'When the phenomenon is expected to begin.', { example: '2024-04-05T22:00:00.000Z' }),
    onset_utc_offset: offset(26, 'onset_at'),
    expires_at: col.instant(27, 'When the warning ends.', { example: '2024-04-06T21:59:59.000Z' }),
    expires_utc_offset: offset(28, 'expires_at'),
    parameter: col.code(29, 'Quantity of the value.', ALERT_PARAMETERS, orNull('GUST')),
    parameter_value: col.decimal(30, 'Value that is expected to be reached; null if the source gives no single number.', {
      ...{ scale: 1, unitIn: 'parameter_unit', nullable: true, example: 80 },
    }),
    parameter_unit: col.code(31, 'Unit of the value.', ALERT_UNITS, orNull('km/h')),
    parameter_text: text(32, 'The value as published.', '80 km/h'),
    probability_min_pct: percent(33, 'Probability, at least.', 10),
    probability_max_pct: percent(34, 'Probability, at most.', 40),
    zone_codes: col.list([35, 36], "Codes of its zones in AEMET's plan Meteoalerta; sorted.", col.string(0, 'Code of a zone.'), {
      example: ['622201'],
    }),
    zones: col.json(37, 'Its zones: code, name, province_code, is_coastal (coastal waters); sorted by code.', {
      example: [{ code: '622201', name: 'Pirineo oscense', province_code: '22', is_coastal: false }],
    }),
    province_codes: col.list([38, 39], 'INE codes of the provinces of its zones; sorted.', col.string(0, 'INE code.'), { example: ['22'] }),
    area: col.multipolygon(40, 'Its zones on the map.', {
      example: {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [-0.9, 42.74],
              [-0.93, 42.67],
              [-0.02, 42.28],
              [0.77, 42.61],
              [-0.9, 42.74],
            ],
          ],
        ],
      },
    }),
  },
  entity: ['source', 'source_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
  absencesToEnd: 1,
  life: { id: 'alert_id', prefix: 'wal', since: 'first_seen_at' },
})
