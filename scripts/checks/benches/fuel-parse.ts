import { fuelStationsFeed } from '../../../jobs/feeds/fuel/stations.ts'
import { parseBench } from './parsing.ts'

/** The ministry's national answer (12 MB): bytes to checked rows, against JSON.parse of the same bytes. */
export const fuelParse = parseBench({
  name: 'parse/fuel',
  about: "the ministry's national answer to checked rows, against JSON.parse",
  limit: 3,
  feed: fuelStationsFeed,
  resources: ['national'],
  rows: 55_000,
  reference: {
    expected: { stations: { min: 12_000 } },
    parse: ([bytes]) => ({ stations: (JSON.parse(String(bytes)) as { ListaEESSPrecio: unknown[] }).ListaEESSPrecio.length }),
  },
})
