import { z } from 'zod'
import { instant, province, road } from '../input.ts'
import { recordKind } from '../line.ts'
import { ask, defineTool, Misuse } from '../tool.ts'

const STATS = recordKind('accidents', '/api/accidentes/stats', { also: ['killed_24h', 'months'] }, [
  '{year}[, {province}][, {road}] ({source}): {accidents} accidents with victims',
  '{fatal_accidents} fatal',
  '{killed_30d} killed within 30 days',
  'change to the year before {change_pct} %',
])

const HOTSPOT = recordKind('hotspot', '/api/accidentes/hotspots', { also: ['source', 'serious', 'peak', 'q_value'] }, [
  'Black spot {rank}: {accidents} accidents, score {score} of 100',
  'on {roads}',
  '{killed} killed',
  '{province}',
  'id {id}',
])

const RISK = recordKind('risk', '/api/prediccion/riesgo', { also: ['section', 'rank'], isSaid: (one) => one['expected'] !== null }, [
  '{road} km {km_from}[, {province}] to km {km_to} at {starts_at}: risk {risk_class}',
  'expected accidents in the hour {expected}',
])

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
  },
  requests: ({ what, province, road, bbox, year, at }) => {
    if (what === 'stats') return [ask(STATS, { province, road, year })]
    if (what === 'hotspots') return [ask(HOTSPOT, { province, bbox, sort: 'rank' })]
    if (province === undefined && road === undefined && bbox === undefined)
      throw new Misuse('Risk needs a place: give a road, a province or a bbox.')
    return [ask(RISK, { province, road, bbox, at, sort: '-expected' })]
  },
})
