import { z } from 'zod'
import { RAIL_NETWORKS } from '../../../../lake/datasets/rail/codes.ts'
import { foldName } from '../../../../lake/places/names.ts'
import { instant, noneNamed } from '../input.ts'
import { filled, recordKind } from '../line.ts'
import { ask, defineTool, type LookUp, Misuse } from '../tool.ts'

const ALERT = recordKind('alert', '/api/trenes/alertas', { also: ['network', 'active_until'] }, [
  '{kind}[ on {lines}]',
  '{effect}',
  'delay {delay_s} s',
  'from {origin}',
  'to {destination}',
  '«{text}»',
  'since {active_from}',
  'id {id}',
])

/** A line of a station's board, after the station. */
const BOARD = recordKind('board', '', { also: ['trip_id', 'train_id', 'is_live', 'expected_at'] }, [
  '{scheduled_at}: {line/product|no line}',
  'train {train_number}',
  'from {origin}',
  'to {destination}',
  (one) => (one['is_live'] === true ? (filled(one, 'expected {expected_at}') ?? 'live') : 'by the timetable, no live data'),
  'delay {delay_s} s',
  'platform {platform}',
  '{status}',
])

const POSITION = recordKind('train', '/api/trenes/posiciones', { also: ['lat', 'lon'] }, [
  'Train {train_number/id} ({line/product|no line})',
  'from {origin}',
  'to {destination}',
  '{vehicle_status}',
  '{stop_name}',
  'delay {delay_s} s',
  'seen {observed_at}',
  'id {id}',
])

/** Maximum number of stations of one name: `Atocha` is one of commuter and one of other trains. */
const MAX_STATIONS = 3

/** Finds stations by name or id. Throws `Misuse` with the choices if there are none or too many. */
async function stationsOf(station: string, lookUp: LookUp): Promise<readonly { readonly id: string; readonly name: string | null }[]> {
  if (/^(\w+:)?\d{4,6}$/.test(station)) return [{ id: station, name: null }]
  const found = await lookUp('/api/trenes/estaciones', { q: station, limit: 6, fields: ['id', 'name', 'province'] })
  if (found.length === 0) throw noneNamed('station', station)
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
  },
  requests: async ({ what, station, to, line, network, train_id, at, min_delay_min }, lookUp) => {
    const named = station === undefined ? [] : await stationsOf(station, lookUp)
    if (what === 'alerts') return [ask(ALERT, { network, line, station: named[0]?.id })]
    if (what === 'position' && train_id !== undefined) {
      const one = { path: `${POSITION.path}/{id}`, inPath: { id: train_id }, fields: [...POSITION.fields, 'next_stops'], takesLimit: false }
      return [ask({ ...POSITION, ...one }, {})]
    }
    if (what === 'position') return [ask(POSITION, { network, line, min_delay: min_delay_min, sort: '-delay_s' })]
    if (named.length === 0) throw new Misuse(`${what} need a station: give its name or id as \`station\`.`)
    if (to !== undefined && what !== 'departures') throw new Misuse('to is for departures: ask for those.')
    const [kind, verb, path] = what === 'departures' ? ['departure', 'Departs', 'salidas'] : ['arrival', 'Arrives', 'llegadas']
    return named.map(({ id, name }) => ({
      ...{ ...BOARD, kind: kind as string, path: `/api/trenes/estaciones/{id}/${path}`, inPath: { id }, query: { at, line, network, to } },
      line: (one) => `${verb} ${name === null ? '' : `${name} `}${BOARD.line(one)}`,
    }))
  },
})
