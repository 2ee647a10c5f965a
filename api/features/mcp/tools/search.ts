import { z } from 'zod'
import { commonInput, near, province } from '../input.ts'
import { amount, defineTool, phrase } from '../tool.ts'

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
    ...commonInput,
  },
  requests: ({ query, collections, province, lat, lon }) => [
    {
      ...{ kind: 'hit', path: '/api/search', query: { q: query, collections, province, lat, lon } },
      fields: ['collection', 'id', 'title', 'subtitle', 'lat', 'lon', 'url'],
      line: (one) =>
        phrase(
          `${String(one['title'])} (${String(one['collection'])})`,
          amount(one, 'subtitle'),
          `id ${String(one['id'])}`,
          amount(one, 'url'),
        ),
    },
  ],
})
