import { railStationRegister } from '../../../lake/datasets/rail/station-register.ts'
import { defineEndpoint, type MemoryAsk } from '../../kernel/endpoint.ts'
import { record } from '../../kernel/fields.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { ALERT_STATES, currentAlerts } from './alert-trains.ts'
import { alertsField, alertsOf, inLanguages } from './alerts-of.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { stationFields, stationsOf } from './station.ts'
import { stationRegister } from './station-register.ts'
import { feedsOfId, sourcesBesideId } from './timetable-versions.ts'

const CODE_DIGITS = 5

/** The station id as a path parameter. */
export const stationId = required(
  textParam('Station code: of Renfe five digits with leading zeros, of others network and code, such as FGC:PC.', {
    max: 60,
    example: '17000',
  }),
)

/** A suggestion for a code: the same number with leading zeros, which many leave out, else a similar code. */
export async function nearestStation(
  { cached: slice }: Pick<MemoryAsk<readonly []>, 'cached'>,
  { id }: { readonly id: string },
): Promise<string | null> {
  const { stations } = await slice(railNetwork, '')
  const padded = id.padStart(CODE_DIGITS, '0')
  return stations.has(padded) ? padded : nearest(id, stations.keys())
}

const detail = record(
  'RailStationDetail',
  'A station with its lines and current alerts.',
  { ...stationFields, alerts: alertsField },
  inLanguages,
)

/** One station. */
export const stationById = defineEndpoint({
  path: '/api/trenes/estaciones/{id}',
  domain: 'rail',
  plan: 'FREE',
  summary: 'One railway station, with accessibility and current alerts',
  summary_es: 'Una estación de tren, con accesibilidad y alertas actuales',
  params: { id: stationId },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: ALERT_STATES,
    lake: [...NETWORK_TABLES, railStationRegister],
    needs: NETWORK_TABLES,
    otherSources: ({ id }) => sourcesBesideId(id),
    parts: ({ id }) => feedsOfId(id),
    feedsOfId: ({ id }) => feedsOfId(id),
    suggestion: nearestStation,
    answer: async ({ cached: slice, optional: extra, states }, { id }) => {
      const network = await slice(railNetwork, '')
      const found = stationsOf(network, await slice(stationRegister, '')).find((one) => one.id === id)
      return found
        ? { ...found, alerts: alertsOf((await currentAlerts(states, extra)).listed, { stop_id: id, lines: found.lines }, network) }
        : null
    },
  },
  example: { id: '17000' },
})
