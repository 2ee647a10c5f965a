import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { openLane, requestBytes } from './http-load.ts'
import { startServer } from './incidents-api.ts'
import type { Bench } from './measure.ts'
import { writeStations } from './stations-service.ts'
import type { Work } from './work.ts'

const CONNECTIONS = 64
const REQUESTS = 4000
/** Least requests per second of processor time. */
const LEAST_PER_S = 2000

/** Searches around different points, which the index answers, against lists of 20 stations that check every station. */
export const stationsNear: Bench = {
  name: 'stations-near',
  about: `processor time of ${REQUESTS} searches of /api/gas-stations and /cheapest within 5 km of different points, against as many lists that check every station; or ${LEAST_PER_S} per second`,
  limit: 1,
  orAtMost_ms: (1000 * REQUESTS) / LEAST_PER_S,
  rounds: 5,
  setUp: writeStations,
  async open(folder) {
    const server = await startServer('stations', folder, await mkdtemp(join(folder, 'service-')))
    const lanes = await Promise.all(Array.from({ length: CONNECTIONS }, () => openLane(server.url)))
    const headers = { 'X-API-Key': server.key }
    let asked = 0
    const searches = (urlOf: (nth: number) => string): Work => ({
      expected: { replies: REQUESTS },
      clock: server.processor,
      async run() {
        let [left, replies] = [REQUESTS, 0]
        await Promise.all(
          lanes.map(async (lane) => {
            while (left-- > 0) {
              await lane.ask(requestBytes(new URL(urlOf(asked++), server.url).href, headers), 200)
              replies++
            }
          }),
        )
        return { replies }
      },
    })
    return {
      measured: searches(searchOf),
      reference: searches((nth) => `/api/gas-stations?limit=20&updated_since=${new Date(1e12 + nth).toISOString()}`),
      async close() {
        for (const lane of lanes) lane.end()
        await server.close()
      },
    }
  },
}

/** A search around its own point; the points are spread over Spain. */
function searchOf(nth: number): string {
  const [lat, lon] = [37 + 6 * fraction(nth * 0.754_877_666), -8 + 10 * fraction(nth * 0.569_840_29)]
  const at = `lat=${lat.toFixed(6)}&lon=${lon.toFixed(6)}&radius=5000`
  return nth % 2 === 0 ? `/api/gas-stations?${at}` : `/api/gas-stations/cheapest?fuel=DIESEL_A&${at}`
}

function fraction(value: number): number {
  return value - Math.floor(value)
}
