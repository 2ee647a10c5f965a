import { ALERT_EFFECTS, RAIL_ALERT_KINDS, RAIL_NETWORKS, RAIL_NUCLEOS } from '../../../lake/datasets/rail/codes.ts'
import { sql } from '../../../lake/query/sql.ts'
import { codeParam, listOf } from '../../kernel/params/params.ts'
import { appliedByRead, columnFilter, defineFilter, hasOneOf, isOneOf } from '../../kernel/reads/filter.ts'
import { alertStationParam, lineParam, stationParam } from './known-names.ts'
import { networkOf } from './train-id.ts'

/** Parameters for network, núcleo, line and station, shared by the endpoints about trains. */
export const railParams = {
  network: listOf(codeParam('Network of the railway.', RAIL_NETWORKS, { example: 'CERCANIAS' })),
  nucleo: listOf(codeParam('Commuter network (núcleo).', RAIL_NUCLEOS, { example: '10' })),
  line: lineParam,
  station: stationParam,
} as const

/** An alert of a train that is in two networks belongs to both. */
const networkFilter = defineFilter({
  name: 'network',
  param: railParams.network,
  matches:
    (networks) =>
    ({ network, other_train_id }: { readonly network: string; readonly other_train_id: string | null }) =>
      networks.includes(network) || (other_train_id !== null && networks.includes(networkOf(other_train_id))),
  present: { network: ({ network, other_train_id }) => (other_train_id === null ? network : [network, networkOf(other_train_id)]) },
  columns: ['network'],
  where: (networks, columns) => isOneOf(columns('network'), networks),
})

const nucleoFilter = defineFilter({
  name: 'nucleo',
  param: railParams.nucleo,
  matches:
    (nucleos) =>
    ({ nucleo_codes }: { readonly nucleo_codes: readonly string[] }) =>
      nucleo_codes.some((code) => nucleos.includes(code)),
  present: { nucleo: ({ nucleo_codes }) => nucleo_codes },
  columns: ['nucleo_codes'],
  where: (nucleos, columns) => hasOneOf(columns('nucleo_codes'), nucleos),
})

/** Properties that state which lines an alert concerns. */
interface OfLines {
  readonly lines: readonly string[]
  readonly products: readonly string[]
  readonly hashtags: readonly { readonly line: string }[]
}

function linesOf({ lines, products, hashtags }: OfLines): string[] {
  return [...lines, ...products, ...hashtags.map((tag) => tag.line)]
}

/** Matches an alert's lines, products or hashtags. In SQL, `products` come from the timetable. */
export const lineFilter = defineFilter({
  name: 'line',
  param: railParams.line,
  matches: (lines) => (one: OfLines) => linesOf(one).some((line) => lines.includes(line)),
  present: { line: linesOf },
  columns: ['lines', 'products', 'hashtags'],
  where: (lines, columns) => {
    const tagged = sql`json_extract_string(${columns('hashtags')}, '$[*].line')`
    return sql`(${hasOneOf(columns('lines'), lines)} OR ${hasOneOf(columns('products'), lines)} OR ${hasOneOf(tagged, lines)})`
  },
})

const stationFilter = defineFilter({
  name: 'station',
  param: railParams.station,
  matches:
    (stations) =>
    ({ stop_ids }: { readonly stop_ids: readonly string[] }) =>
      stop_ids.some((id) => stations.includes(id)),
  columns: ['stop_ids'],
  where: (stations, columns) => hasOneOf(columns('stop_ids'), stations),
})

const kindFilter = columnFilter('kind', listOf(codeParam('Kind of alert.', RAIL_ALERT_KINDS, { example: 'CANCELLED' })), 'kind')
const effectFilter = columnFilter(
  'effect',
  listOf(codeParam('Effect that the source states.', ALERT_EFFECTS, { example: 'REDUCED_SERVICE' })),
  'effect',
)

/** Filters of current alerts. Only the timetables know which stations an alert concerns. */
export const currentAlertFilters = [
  networkFilter,
  nucleoFilter,
  lineFilter,
  appliedByRead('station', alertStationParam),
  kindFilter,
  effectFilter,
] as const

/** Filters of past alerts. */
export const pastAlertFilters = [networkFilter, nucleoFilter, lineFilter, stationFilter, kindFilter, effectFilter] as const
