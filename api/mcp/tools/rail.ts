import { z } from 'zod'
import { RAIL_NETWORKS } from '../../../lake/datasets/rail/codes.ts'
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
const boardLine = (verb: string) => (one: ReplyRecord) =>
  phrase(
    `${verb} ${String(one['scheduled_at'])}: ${phrase(amount(one, 'line') ?? amount(one, 'product'), labelled('train', one, 'train_number'))}`,
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

/** Finds a station by name or id. Throws `Misuse` with the choices if there is none or several. */
async function stationOf(station: string, lookUp: LookUp): Promise<string> {
  if (/^\d{4,6}$/.test(station)) return station
  const found = await lookUp('/api/trenes/estaciones', { q: station, limit: 6, fields: ['id', 'name', 'province'] })
  const [only] = found
  if (!only) throw new Misuse(`No station is named ${JSON.stringify(station)}. Use search_transport, or another spelling.`)
  const exact = found.find((one) => String(one['name']).toLowerCase() === station.toLowerCase())
  if (exact || found.length === 1) return String((exact ?? only)['id'])
  const choices = found.map((one) => `${String(one['name'])} (${String(one['province'])}): ${String(one['id'])}`)
  throw new Misuse(`Several stations match ${JSON.stringify(station)}; call again with one of these ids: ${choices.join('; ')}.`)
}

/** Trains: alerts, boards of a station, positions. */
export const getTrainStatus = defineTool({
  name: 'get_train_status',
  title: 'Trains: alerts, departures, arrivals, positions',
  description:
    'Trains (Renfe), and timetables of metros, trams and regional trains of Madrid, Barcelona (FGC), Valencia, Alicante, Málaga and Mallorca: service alerts, departures and arrivals of a station with delays (free), and train positions (plan PRO). ' +
    'Answers "When is the next train from Atocha?" and "Is there trouble on C-5?".',
  plan: 'FREE',
  input: {
    what: z.enum(['alerts', 'departures', 'arrivals', 'position']).describe('What to return.'),
    station: z.string().max(80).optional().describe('Name or id of a station; required for departures and arrivals.'),
    line: z.string().max(30).optional().describe('Line, such as C5 or R2.'),
    network: z
      .enum(Object.keys(RAIL_NETWORKS.codes))
      .optional()
      .describe(
        'Of Renfe, CERCANIAS is commuter, AVLDMD medium and long distance. FGC has positions without delays; others have timetables only.',
      ),
    train_id: z.string().max(60).optional().describe('Id of a train, for its position and next stops.'),
    at: instant('Departures or arrivals from this time on; now by default.'),
    min_delay_min: z.int().min(0).max(1440).optional().describe('Only trains with at least this delay in minutes (position).'),
    ...commonInput,
  },
  requests: async ({ what, station, line, network, train_id, at, min_delay_min }, lookUp) => {
    const named = station === undefined ? undefined : await stationOf(station, lookUp)
    if (what === 'alerts') return [{ ...ALERT, query: { network, line, station: named } }]
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
    if (named === undefined) throw new Misuse(`${what} need a station: give its name or id as \`station\`.`)
    const [word, path] = what === 'departures' ? ['Departs', 'salidas'] : ['Arrives', 'llegadas']
    return [
      {
        ...{ kind: what === 'departures' ? 'departure' : 'arrival', path: `/api/trenes/estaciones/{id}/${path}`, inPath: { id: named } },
        ...{ query: { at, line, network }, fields: BOARD_FIELDS, line: boardLine(word as string) },
      },
    ]
  },
})
