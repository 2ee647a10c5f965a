import { z } from 'zod'
import { near, province } from '../input.ts'
import { recordKind } from '../line.ts'
import { ask, defineTool } from '../tool.ts'

const HIT = recordKind('hit', '/api/search', { also: ['lat', 'lon'] }, ['{title} ({collection})', '{subtitle}', 'id {id}', '{url}'])

/** One search over everything. */
export const searchTransport = defineTool({
  name: 'search_transport',
  title: 'Search',
  description:
    'Finds places and things by name, also misspelt, with ids and positions for other tools: stations, ports, airports, towns, road kilometres, filling stations, sensors, panels.',
  plan: 'FREE',
  input: {
    query: z.string().min(1).max(200).describe('Such as "atocha" or "A-6 km 12".'),
    collections: z.array(z.string().max(40)).max(26).optional().describe('Such as rail-stations, gas-stations.'),
    province,
    lat: near.lat,
    lon: near.lon,
  },
  requests: ({ query, collections, province, lat, lon }) => [ask(HIT, { q: query, collections, province, lat, lon })],
})
