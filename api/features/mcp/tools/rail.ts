import { z } from 'zod'
import { RAIL_NETWORKS } from '../../../../lake/datasets/rail/codes.ts'
import { foldName } from '../../../../lake/places/names.ts'
import { commonInput, instant } from '../input.ts'
import { amount, defineTool, type LookUp, labelled, Misuse, phrase, quoted, type ReplyRecord, type ToolRequest } from '../tool.ts'

const ALERT: Omit<ToolRequest, 'query'> = {
  kind: 'alert',
  path: '/api/trenes/alertas',
  fields: ['id', 'kind', 'network', 'lines', 'text', 'effect', 'delay_s', 'origin', 'destination', 'active_from', 'active_until'],
  line: (one) =>
    phrase(
      `${String(one['kind'])}${Array.isArray(one['lines']) && one['lines'].length > 0 ? ` on ${one['lines'].join(', ')}` : ''}`,
      amount(one, 'effect'),
      labelled('delay', one, 'delay_s', 's'),
      phrase(labelled('from', one, 'origin'), labelled('to', one, 'destination')),
      quoted(one, 'text'),
      labelled('since', one, 'active_from'),
      `id ${String(one['id'])}`,
    ),
}

const BOARD_FIELDS = [
  'trip_id',
  'line',
  'product',
  'train_number',
  'train_id',
  'origin',
  'destination',
  'scheduled_at',
  'expected_at',
  'delay_s',
  'is_live',
  'status',
  'platform',
]
const boardLine = (verb: string, station: string | null) => (one: ReplyRecord) =>
  phrase(
    `${verb} ${station === null ? '' : `${station} `}${String(one['scheduled_at'])}: ${phrase(amount(one, 'line') ?? amount(one, 'product'), labelled('train', one, 'train_number'))}`,
    labelled('from', one, 'origin'),
    labelled('to', one, 'destination'),
    one['is_live'] === true ? (labelled('expected', one, 'expected_at') ?? 'live') : 'by the timetable, no live data',
    labelled('delay', one, 'delay_s', 's'),
    labelled('platform', one, 'platform'),
    amount(one, 'status'),
  )

const POSITION: Omit<ToolRequest, 'query' | 'path'> = {
  kind: 'train',
  fields: [
    'id',
    'line',
    'product',
    'train_number',
    'origin',
    'destination',
    'stop_name',
    'vehicle_status',
    'delay_s',
    'lat',
    'lon',
    'observed_at',
  ],
  line: (one) =>
    phrase(
      `Train ${amount(one, 'train_number') ?? String(one['id'])} (${amount(one, 'line') ?? amount(one, 'product') ?? 'no line'})`,
      phrase(labelled('from', one, 'origin'), labelled('to', one, 'destination')),
      phrase(amount(one, 'vehicle_status'), amount(one, 'stop_name')),
      labelled('delay', one, 'delay_s', 's'),
      labelled('seen', one, 'observed_at'),
      `id ${String(one['id'])}`,
    ),
}

/** Maximum number of stations of one name: `Atocha` is one of commuter and one of other trains. */
const MAX_STATIONS = 3

/** Finds stations by name or id. Throws `Misuse` with the choices if there are none or too many. */
async function stationsOf(station: string, lookUp: LookUp): Promise<readonly { readonly id: string; readonly name: string | null }[]> {
  if (/^(\w+:)?\d{4,6}$/.test(station)) return [{ id: station, name: null }]
  const found = await lookUp('/api/trenes/estaciones', { q: station, limit: 6, fields: ['id', 'name', 'province'] })
  if (found.length === 0) throw new Misuse(`No station is named ${JSON.stringify(station)}. Use search_transport, or another spelling.`)
  const exact = found.filter((one) => foldName(String(one['name'])) === foldName(station))
  const chosen = exact.length > 0 ? exact : found
  if (chosen.length <= MAX_STATIONS) return chosen.map(({ id, name }) => ({ id: String(id), name: String(name) }))
  const choices = found.map((one) => `${String(one['name'])} (${String(one['province'])}): ${String(one['id'])}`)
  throw new Misuse(`Several stations match ${JSON.stringify(station)}; call again with one of these ids: ${choices.join('; ')}.`)
}

/** Trains: alerts, boards of a station, positions. */
export const getTrainStatus = defineTool({
  name: 'get_train_status',
  title: 'Trains: alerts, departures, arrivals, positions',
  description:
    'Trains of Renfe, and FGC, metros and trams of Madrid, Valencia, Alicante, Málaga, Mallorca: alerts, departures and arrivals with delays (free), positions (PRO). "When is the next train from Atocha to Aranjuez?"',
  plan: 'FREE',
  input: {
    what: z.enum(['alerts', 'departures', 'arrivals', 'position']).describe('See above.'),
    station: z.string().max(80).optional().describe('Name or id; for departures and arrivals.'),
    to: z.string().max(60).optional().describe('Station or town; departures of trains that stop there.'),
    line: z.string().max(30).optional().describe('Such as C5.'),
    network: z.enum(Object.keys(RAIL_NETWORKS.codes)).optional().describe('CERCANIAS commuter, AVLDMD long distance.'),
    train_id: z.string().max(60).optional().describe('Of position: one train and its next stops.'),
    at: instant('From; now by default'),
    min_delay_min: z.int().min(0).max(1440).optional().describe('Of position: at least this delay.'),
    ...commonInput,
  },
  requests: async ({ what, station, to, line, network, train_id, at, min_delay_min }, lookUp) => {
    const named = station === undefined ? [] : await stationsOf(station, lookUp)
    if (what === 'alerts') return [{ ...ALERT, query: { network, line, station: named[0]?.id } }]
    if (what === 'position') {
      if (train_id !== undefined)
        return [
          {
            ...POSITION,
            path: '/api/trenes/posiciones/{id}',
            inPath: { id: train_id },
            fields: [...POSITION.fields, 'next_stops'],
            query: {},
            takesLimit: false,
          },
        ]
      return [{ ...POSITION, path: '/api/trenes/posiciones', query: { network, line, min_delay: min_delay_min, sort: '-delay_s' } }]
    }
    if (named.length === 0) throw new Misuse(`${what} need a station: give its name or id as \`station\`.`)
    if (to !== undefined && what !== 'departures') throw new Misuse('to is for departures: ask for those.')
    const [kind, verb, path] = what === 'departures' ? ['departure', 'Departs', 'salidas'] : ['arrival', 'Arrives', 'llegadas']
    return named.map(({ id, name }) => ({
      ...{ kind: kind as string, path: `/api/trenes/estaciones/{id}/${path}`, inPath: { id } },
      ...{ query: { at, line, network, to }, fields: BOARD_FIELDS, line: boardLine(verb as string, name) },
    }))
  },
})
