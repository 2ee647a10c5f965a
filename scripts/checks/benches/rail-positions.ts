import { openPair } from './incidents-api.ts'
import type { Bench } from './measure.ts'
import { startTrainsService, writeTrains } from './trains-service.ts'

/**
 * `/api/trenes/posiciones`, all trains of a morning, as browsers and SDKs request it, against a bare Fastify route with the same
 * bytes.
 */
export const railPositionsList: Bench = {
  name: 'list/trains',
  about: 'requests per second of processor time of /api/trenes/posiciones (br), against a bare Fastify route sending the same bytes',
  limit: 0.6,
  atLeast: true,
  rounds: 15,
  setUp: writeTrains,
  open: (folder, { only }) => openPair(folder, { kind: 'trains', start: startTrainsService, records: 250 }, { only, revalidate: false }),
}
