import { adsbLolPositions } from '../../../jobs/feeds/aviation/adsb-lol.ts'
import { CIRCLE_NM, CIRCLES } from '../../../jobs/feeds/aviation/aircraft-circles.ts'
import { parseBench } from './parsing.ts'

/** Aircraft of all circles around Spain (1.1 MB): bytes to checked rows, against JSON.parse of the same bytes. */
export const aircraftParse = parseBench({
  name: 'parse/aircraft',
  about: "adsb.lol's aircraft around Spain to checked rows, against JSON.parse",
  limit: 3,
  feed: adsbLolPositions,
  resources: Object.values(CIRCLES).map(({ lat, lon }) => `${lat}/${lon}/${CIRCLE_NM}`),
  rows: 250,
  reference: {
    expected: { aircraft: { min: 500 } },
    parse: (documents) => ({
      aircraft: documents.reduce((sum, bytes) => sum + (JSON.parse(bytes.toString('utf8')) as { ac: unknown[] }).ac.length, 0),
    }),
  },
})
