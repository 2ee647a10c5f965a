import { z } from 'zod'
import { commonInput, near, province } from '../input.ts'
import { amount, defineTool, phrase } from '../tool.ts'

/** One search over everything. */
export const searchTransport = defineTool({
  name: 'search_transport',
  title: 'Search',
  description:
    'Finds places and things by name: stations, ports, airports, roads and kilometres, municipalities, filling stations, sensors, panels. Tolerates misspellings. Returns ids for the other tools.',
  plan: 'FREE',
  input: {
    query: z.string().min(1).max(200).describe('What to find, such as "atocha", "gasolinera olot" or "A-6 km 12".'),
    collections: z
      .array(z.string().max(40))
      .max(26)
      .optional()
      .describe('Only in these collections, such as rail-stations or gas-stations.'),
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
