import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { railStationRegister } from '../../../lake/datasets/rail/station-register.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { record } from '../../define/fields.ts'
import { required, textParam } from '../../define/params.ts'
import { currentAlerts } from './alert-trains.ts'
import { alertsField, alertsOf, inLanguages } from './alerts-of.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { stationFields, stationsOf } from './station.ts'
import { stationRegister } from './station-register.ts'

/** The id of a station, as a path has it. */
export const stationId = required(
  textParam("Code of the station, five digits with zeros in front; the infrastructure manager's.", { max: 20, example: '17000' }),
)

const detail = record(
  'RailStationDetail',
  'A station with its lines and what is wrong there now.',
  { ...stationFields, alerts: alertsField },
  inLanguages,
)

/** One station. */
export const stationById = defineEndpoint({
  path: '/api/trenes/estaciones/{id}',
  domain: 'rail',
  plan: 'FREE',
  summary: 'One railway station, with accessibility and current alerts',
  params: { id: stationId },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'kept',
    from: [railAlerts],
    lake: [...NETWORK_TABLES, railStationRegister],
    answer: async ({ slice, states }, { id }) => {
      const network = await slice(railNetwork, '')
      const found = stationsOf(network, await slice(stationRegister, '')).find((one) => one.id === id)
      return found
        ? { ...found, alerts: alertsOf(await currentAlerts(states[0], slice), { stop_id: id, lines: found.lines }, network) }
        : null
    },
  },
  example: { id: '17000' },
})
