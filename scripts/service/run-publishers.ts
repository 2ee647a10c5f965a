import { parseArgs } from 'node:util'
import { startPublishers } from '../stand-in/server.ts'
import { endWithSupervisor, onStop, reportReady } from './child.ts'

endWithSupervisor()
const { values } = parseArgs({
  options: { captures: { type: 'string' }, port: { type: 'string', default: '0' }, 'nmea-port': { type: 'string', default: '0' } },
})
const source =
  values.captures === undefined
    ? ({ kind: 'simulated', seed: 1, speed: 1 } as const)
    : ({ kind: 'captures', dir: values.captures } as const)
const publishers = await startPublishers({ source, port: Number(values.port), nmeaPort: Number(values['nmea-port']) })
onStop(() => publishers.close())
reportReady({ url: publishers.url, nmea: publishers.nmea })
