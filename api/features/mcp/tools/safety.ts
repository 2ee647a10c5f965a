import { z } from 'zod'
import { commonInput, instant, province, road } from '../input.ts'
import { amount, defineTool, labelled, Misuse, phrase, place, type ToolRequest } from '../tool.ts'

const STATS: Omit<ToolRequest, 'query'> = {
  kind: 'accidents',
  path: '/api/accidentes/stats',
  fields: ['source', 'year', 'province', 'road', 'accidents', 'fatal_accidents', 'killed_30d', 'killed_24h', 'change_pct', 'months'],
  line: (one) =>
    phrase(
      `${phrase(amount(one, 'year'), amount(one, 'province'), amount(one, 'road'))} (${String(one['source'])}): ${amount(one, 'accidents') ?? 'unknown'} accidents with victims`,
      amount(one, 'fatal_accidents', 'fatal'),
      amount(one, 'killed_30d', 'killed within 30 days'),
      labelled('change to the year before', one, 'change_pct', '%'),
    ),
}

const HOTSPOT: Omit<ToolRequest, 'query'> = {
  kind: 'hotspot',
  path: '/api/accidentes/hotspots',
  fields: ['id', 'source', 'rank', 'score', 'accidents', 'killed', 'serious', 'roads', 'province', 'peak', 'q_value'],
  line: (one) =>
    phrase(
      `Black spot ${String(one['rank'])}: ${amount(one, 'accidents') ?? 'unknown'} accidents, score ${String(one['score'])} of 100`,
      Array.isArray(one['roads']) && one['roads'].length > 0 ? `on ${one['roads'].map(String).join(', ')}` : null,
      amount(one, 'killed', 'killed'),
      amount(one, 'province'),
      `id ${String(one['id'])}`,
    ),
}

const RISK: Omit<ToolRequest, 'query'> = {
  kind: 'risk',
  path: '/api/prediccion/riesgo',
  isSaid: (one) => one['expected'] !== null,
  fields: ['section', 'road', 'km_from', 'km_to', 'province', 'starts_at', 'expected', 'risk_class', 'rank'],
  line: (one) =>
    phrase(
      `${place({ ...one, km: one['km_from'] })} to km ${String(one['km_to'])} at ${String(one['starts_at'])}: risk ${String(one['risk_class'])}`,
      labelled('expected accidents in the hour', one, 'expected'),
    ),
}

/** Accidents, black spots and risk. */
export const getRoadSafety = defineTool({
  name: 'get_road_safety',
  title: 'Road safety: accident figures, black spots, risk',
  description:
    'stats: accidents with victims by year. hotspots: black spots. risk: predicted risk of road sections in the next hours (ENTERPRISE).',
  plan: 'PRO',
  instead: 'get_incidents',
  input: {
    what: z.enum(['stats', 'hotspots', 'risk']).describe('See above.'),
    ...{ province, road },
    bbox: z.string().max(80).optional().describe('minLon,minLat,maxLon,maxLat.'),
    year: z.int().min(1990).max(2200).optional().describe('Of stats; all by default.'),
    at: instant('First hour of risk; the next by default'),
    ...commonInput,
  },
  requests: ({ what, province, road, bbox, year, at }) => {
    if (what === 'stats') return [{ ...STATS, query: { province, road, year } }]
    if (what === 'hotspots') return [{ ...HOTSPOT, query: { province, bbox, sort: 'rank' } }]
    if (province === undefined && road === undefined && bbox === undefined)
      throw new Misuse('Risk needs a place: give a road, a province or a bbox.')
    return [{ ...RISK, query: { province, road, bbox, at, sort: '-expected' } }]
  },
})
