import { VESSEL_TYPES } from '../../../lake/datasets/maritime/vessel-codes.ts'
import { vesselPositions } from '../../../lake/datasets/maritime/vessel-positions.ts'
import { vessels } from '../../../lake/datasets/maritime/vessels.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, type State } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { joined, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { requiredAreaFilter } from '../../kernel/filters/area.ts'
import { codeParam, listOf, required, textParam } from '../../kernel/params/params.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { stateFields } from '../common-fields.ts'

const [seen, said] = [vesselPositions.columns, vessels.columns]

/** The MMSI of a vessel as a path parameter. */
export const mmsiParam = required(textParam('Maritime Mobile Service Identity: nine digits.', { max: 9, example: '224123450' }))

/** A vessel with its last position. */
export const vessel = record(
  'Vessel',
  'A vessel with its last reported position.',
  {
    mmsi: seen.mmsi,
    ...pick(said, 'name', 'callsign', 'imo_number', 'vessel_type', 'ais_type'),
    ...pick(seen, 'ais_class', 'position', 'is_accurate', 'speed_kn', 'course_deg', 'heading_deg', 'rate_of_turn_deg_min'),
    navigation_status: seen.navigation_status,
    ...pick(said, 'length_m', 'beam_m', 'draught_m', 'destination'),
    described_at: optional(said.observed_at, 'When name, type, dimensions and voyage last changed; null if none were received.'),
    source: seen.source,
    observed_at: seen.observed_at,
    ...stateFields(seen.observed_at),
  },
  { id: 'mmsi' },
)

/** A vessel, ready for replies. */
export type VesselRecord = ValueOf<(typeof vessel)['fields']>
type PositionRow = State<typeof vesselPositions>['rows'][number]
type VesselRow = State<typeof vessels>['rows'][number]

/** The record of a vessel from a position and its description. */
export const toVessel = joined<typeof vessel.fields, [PositionRow, VesselRow | undefined]>([vesselPositions, vessels], vessel)

/** Each vessel once, by its newest position of any source, with the newest description of any. */
export function vesselsOf([positions, descriptions]: readonly [State<typeof vesselPositions>, State<typeof vessels>]): VesselRecord[] {
  const described = newestOf(descriptions.rows)
  return [...newestOf(positions.rows).values()].map((row) => toVessel(row, described.get(row.mmsi)))
}

function newestOf<R extends { readonly mmsi: string; readonly observed_at: number }>(rows: readonly R[]): ReadonlyMap<string, R> {
  const newest = new Map<string, R>()
  for (const row of rows) if ((newest.get(row.mmsi)?.observed_at ?? Number.NEGATIVE_INFINITY) < row.observed_at) newest.set(row.mmsi, row)
  return newest
}

const STATES = [vesselPositions, vessels] as const
const ABOUT =
  'From AIS, by the receivers that the operator of this service has enabled (`/api/sources`). Pleasure and sailing craft are never stored, nor is a vessel before it has stated its type. Speeds are in knots. Data of aisstream.io comes without a licence to resell: see `meta.sources`.'

/** Vessels in an area. */
export const vesselList = defineEndpoint({
  path: '/api/maritimo/buques',
  domain: 'maritime',
  plan: 'PRO',
  summary: 'Vessels in an area, with position, course and destination',
  summary_es: 'Buques de una zona, con posición, rumbo y destino',
  about: `Each vessel once, by its newest position of the last 30 minutes. ${ABOUT}`,
  params: {},
  filters: [
    requiredAreaFilter,
    columnFilter('type', listOf(codeParam('Kind of vessel.', VESSEL_TYPES, { example: 'CARGO' })), 'vessel_type'),
  ],
  returns: {
    kind: 'list',
    name: 'vessels',
    record: vessel,
    key: ['mmsi'],
    id: 'mmsi',
    sorts: ['mmsi', 'name', 'speed_kn', 'length_m', 'observed_at'],
    order: 'mmsi',
    limit: { default: 100, max: 20_000 },
  },
  read: { kind: 'memory', from: STATES, isOfAny: true, records: vesselsOf },
  example: { bbox: '-6,35.5,-5,36.5' },
})

const p = (name: keyof typeof vesselPositions.columns) => column(vesselPositions, name)
const DESCRIPTION = ['name', 'callsign', 'imo_number', 'vessel_type', 'ais_type', 'length_m', 'beam_m', 'draught_m', 'destination'] as const
const pastColumns = {
  ...tableColumns(vesselPositions),
  ...pick(vessels.columns, ...DESCRIPTION),
  described_at: vessel.fields.described_at,
}
type Past = Parameters<typeof toVessel>[0] & NonNullable<Parameters<typeof toVessel>[1]> & Pick<VesselRecord, 'described_at'>

/** One vessel. */
export const vesselByMmsi = defineEndpoint({
  path: '/api/maritimo/buques/{mmsi}',
  domain: 'maritime',
  plan: 'PRO',
  summary: 'One vessel with its last report',
  summary_es: 'Un buque con su último informe',
  about: `A vessel without reports for 30 minutes is shown with its last position of the last 7 days. ${ABOUT}`,
  params: { mmsi: mmsiParam },
  returns: { kind: 'one', record: vessel },
  read: {
    kind: 'memory',
    from: STATES,
    isOfAny: true,
    answer: ({ states }, { mmsi }) => vesselsOf(states).find((one) => one.mmsi === mmsi) ?? null,
    past: {
      // Positions have no end: newer ones replace them.
      ended: () => null,
      query: ({ mmsi }) => sql`
        SELECT *
        FROM (
          SELECT *, 'ACTIVE' AS status, ${p('observed_at')} AS updated_at, true AS is_stale
          FROM ${scan(vesselPositions, { mmsi: { eq: mmsi } })}
          ORDER BY ${p('observed_at')} DESC
          LIMIT 1
        )
        LEFT JOIN (
          SELECT ${join(DESCRIPTION.map((name) => column(vessels, name)))}, updated_at AS described_at
          FROM ${scan(vessels, { mmsi: { eq: mmsi } })}
          ORDER BY updated_at DESC
          LIMIT 1
        ) ON true`,
      columns: pastColumns,
      finish: (row: Past) => toVessel(row, row.described_at === null ? undefined : { ...row, observed_at: row.described_at }),
    },
  },
  example: { mmsi: idOfListed('224123450') },
})
