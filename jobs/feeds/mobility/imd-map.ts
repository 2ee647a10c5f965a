import { mitmaTrafficMap } from '../../../lake/datasets/mobility/sources.ts'
import type { ArchiveFile, DayRange, FeedBody } from '../define.ts'
import type { Get } from '../request.ts'

const SERVICES = 'https://mapas.fomento.gob.es/arcgis/rest/services/MapaTrafico'
/** Years whose maps are layers of the map service; later maps are drawn by scripts only. */
const [FIRST_YEAR, LAST_YEAR] = [2015, 2019]
/** Most features per answer of the service. */
const PAGE = 1000

/** The query of a layer of a year's traffic map: all features from the first on, in an order that is stable across pages. */
export function mapQuery(year: number, layer: number): Get {
  const query = `where=1%3D1&outFields=*&returnGeometry=false&orderByFields=OBJECTID&resultOffset=0&resultRecordCount=${PAGE}&f=json`
  return {
    name: String(year),
    url: `${SERVICES}/Mapa${year}web/MapServer/${layer}/query?${query}`,
    maxBytes: 32_000_000,
    timeout_ms: 120_000,
    expects: 'json',
  }
}

/** The last map: the feed plan requests it. */
export const LAST_MAP = LAST_YEAR

/** The maps of a range of years, by their addresses: no list exists. */
export function mapsOf(layer: number): (index: readonly FeedBody[], range: DayRange) => ArchiveFile[] {
  return (_index, { from, to }) => {
    const [first, last] = [Math.max(FIRST_YEAR, Number(from.slice(0, 4))), Math.min(LAST_YEAR, Number(to.slice(0, 4)))]
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at).map((year) => ({
      period: String(year),
      url: mapQuery(year, layer).url,
    }))
  }
}

/** Common properties of the feeds of the map. */
export const TRAFFIC_MAP = { source: mitmaTrafficMap, every_s: 7 * 86_400, freshBy: 'fetch' } as const
