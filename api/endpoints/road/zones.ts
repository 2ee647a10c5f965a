import { ENVIRONMENTAL_LABELS, lowEmissionZones } from '../../../lake/datasets/road/low-emission-zones.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { field, maybe, nested, pick, projection, record, type ValueOf } from '../../kernel/fields.ts'
import { placeFilter, shapeFilter } from '../../kernel/filters.ts'
import { codeParam, required, textParam } from '../../kernel/params/params.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
import { originFields, placeFields } from '../common-fields.ts'

const { columns } = lowEmissionZones

const ABOUT_ZONES =
  'As the municipality publishes them through DGT; hours are local time. Some councils negate in `label_conditions` the labels that may enter, others those that may not. So no reply says whether a vehicle may enter: see the ordinance.'

const conditionFields = {
  is_negated: field.boolean('True if the published set is negated. Its meaning differs between councils.', true),
  labels: field.list('Labels that the set names.', field.code('Label.', ENVIRONMENTAL_LABELS), ['NONE']),
} as const

const hourFields = {
  days: field.list('Days of the week; all days if empty.', field.text('Day in English, upper case.'), ['MONDAY']),
  from: field.text('Begin, local time (HH:MM:SS).', '07:00:00'),
  until: field.text('End, local time; 00:00:00 to 00:00:00 is a whole day.', '20:00:00'),
} as const

const fields = {
  id: columns.zone_id,
  name: columns.name,
  ...placeFields(columns),
  access_restriction: columns.access_restriction,
  label_conditions: nested.objects('Conditions by environmental label, one for each published set.', conditionFields),
  hours: nested.objects('Recurring hours; empty if none are published.', hourFields),
  ...pick(columns, 'is_all_day', 'valid_from', 'valid_until', 'published_at', 'area_km2', 'rings_left_out'),
  geometry: columns.area,
  ...originFields(columns, { source_id: columns.source_id }),
} as const

/** A zone in lists and events. */
export const zone = record('LowEmissionZone', 'A low-emission zone as published.', fields)

const zoneDetail = record('LowEmissionZoneDetail', 'A low-emission zone as published, seen for a label and a time.', {
  ...fields,
  conditions_with_label: nested.maybeObjects(
    'Conditions that name the `label` of the request; null without it. No verdict.',
    conditionFields,
  ),
  is_within_hours: maybe.boolean(
    'True if `at` of the request is within the days of validity and the hours; null without `at`, or if no hours are published.',
    null,
  ),
})

type Zone = ValueOf<typeof fields>

/** The record of a row. */
export const toZone: (row: AnyRow) => Zone = projection(lowEmissionZones, zone, {
  label_conditions: (row) => row.label_conditions as unknown as Zone['label_conditions'],
  hours: (row) => row.hours as unknown as Zone['hours'],
})

const LOCAL = { dateStyle: 'short', timeStyle: 'medium' } as const
const clocks = new Map(
  ['Europe/Madrid', 'Atlantic/Canary'].map((timeZone) => [timeZone, new Intl.DateTimeFormat('sv-SE', { ...LOCAL, timeZone })]),
)
const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']

/** True if an instant (ms) is within a zone's days and hours, by its own clock; null without published hours. */
export function isWithinHours(
  { hours, valid_from, valid_until, province_code }: Pick<Zone, 'hours' | 'valid_from' | 'valid_until' | 'province_code'>,
  at: number,
): boolean | null {
  if (hours.length === 0) return null
  const [date = '', time = ''] = (clocks.get(zoneOf(province_code ?? '')) as Intl.DateTimeFormat).format(at).split(' ')
  if ((valid_from !== null && date < valid_from) || (valid_until !== null && date > valid_until)) return false
  const weekday = (back: number): string => WEEKDAYS[(new Date(`${date}T00:00:00Z`).getUTCDay() + 7 - back) % 7] as string
  const isOn = (days: readonly string[], back: number): boolean => days.length === 0 || days.includes(weekday(back))
  return hours.some(({ days, from, until }) => {
    if (from < until) return isOn(days, 0) && time >= from && time <= until
    // Past midnight, the period is that of the day before.
    return (isOn(days, 0) && time >= from) || (isOn(days, 1) && time <= until && until !== '00:00:00')
  })
}

/** The specification's list of low-emission zones. */
export const zoneList = defineEndpoint({
  path: '/api/zbe',
  plan: 'FREE',
  summary: 'Low-emission zones with outline, hours and published conditions',
  summary_es: 'Zonas de bajas emisiones con contorno, horario y condiciones publicadas',
  about: `${ABOUT_ZONES} Around a point, the zones that contain it come first, the smallest before the others: a zone of a whole city may contain stricter ones.`,
  filters: [placeFilter, shapeFilter],
  // Zones that contain a point are all 0 m away: then the smallest comes first.
  returns: listReturn('zones', zone, { ties: ['area_km2'], sorts: ['id', 'name', 'area_km2', 'published_at', 'updated_at'] }),
  read: { kind: 'memory', from: [lowEmissionZones], records: ([state]) => state.rows.map(toZone) },
  example: { province: 'Madrid' },
})

/** One low-emission zone. */
export const zoneById = defineEndpoint({
  path: '/api/zbe/{id}',
  plan: 'FREE',
  summary: 'One low-emission zone: hours, validity and the raw conditions',
  summary_es: 'Una zona de bajas emisiones: horario, vigencia y condiciones sin interpretar',
  about: `${ABOUT_ZONES} \`label\` selects the conditions that name a label, \`at\` compares a time with the hours; neither decides.`,
  params: {
    id: required(textParam('Id of the zone.', { max: 200, example: '28079-zbedep-ejemplo' })),
    label: codeParam('Environmental label: `conditions_with_label` has the conditions that name it.', ENVIRONMENTAL_LABELS),
    at: instantParam('Time: `is_within_hours` says whether it is within the published hours.', '2026-11-27T09:00:00Z'),
  },
  returns: { kind: 'one', record: zoneDetail },
  read: {
    kind: 'memory',
    from: [lowEmissionZones],
    answer: ({ states: [state] }, { id, label, at }) => {
      const row = state.rows.find(({ zone_id }) => zone_id === id)
      if (!row) return null
      const found = toZone(row)
      return {
        ...found,
        conditions_with_label: label === null ? null : found.label_conditions.filter(({ labels }) => labels.includes(label)),
        is_within_hours: at === null ? null : isWithinHours(found, at),
      }
    },
  },
  example: { id: idOfListed('28079-zbedep-ejemplo'), label: 'C' },
})
