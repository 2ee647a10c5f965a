import { openPair } from './incidents-api.ts'
import type { Bench } from './measure.ts'
import { startStationsService, writeStations } from './stations-service.ts'

/** Half a gigabyte of replies. */
const REQUESTS = 1000

/**
 * `/api/gas-stations`, the whole country with prices, as browsers and SDKs request it, against a bare Fastify route with the same
 * bytes.
 */
export const gasStations: Bench = {
  name: 'list/gas-stations',
  about:
    'requests per second of processor time of /api/gas-stations, whole country (br), against a bare Fastify route sending the same bytes',
  limit: 0.7,
  atLeast: true,
  rounds: 15,
  setUp: writeStations,
  open: (folder, { only }) =>
    openPair(folder, { kind: 'stations', start: startStationsService, records: 12_000 }, { only, revalidate: false, requests: REQUESTS }),
}
