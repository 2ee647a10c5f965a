import { marineStations } from '../../../../lake/datasets/maritime/marine-fuel.ts'
import { ports } from '../../../../lake/datasets/maritime/ports.ts'
import { VESSEL_TYPES, vesselPositions, vessels } from '../../../../lake/datasets/maritime/vessels.ts'
import { ferryNetwork } from '../../maritime/ferry-network.ts'
import { listedPorts, portCatalogue } from '../../maritime/port-catalogue.ts'
import { vesselsOf } from '../../maritime/vessels.ts'
import { defineCollection, joinParts, townOf } from '../collection.ts'

export const marineStationCollection = defineCollection({
  id: 'marine-stations',
  title: 'Marine filling stations',
  about: 'Filling stations for vessels, by port, brand and town.',
  words: 'gasolinera maritima, gasolinera nautica, combustible maritimo, marine fuel, posto nautico',
  weights: { title: 2.5, place: 2 },
  from: [marineStations],
  detail: '/api/maritimo?port={id}',
  documents: ([state]) =>
    state.rows.flatMap(({ station_id, port, brand, address, locality, municipality, municipality_code, province_code, position }) => {
      const place = port ?? municipality
      // Without a place no request shows its prices.
      if (place === null) return []
      return [
        {
          id: station_id,
          link: place,
          title: joinParts([brand, place]),
          subtitle: joinParts([address, locality]),
          position,
          province_code,
          municipality_code,
          importance: 0.25,
        },
      ]
    }),
})

/** Number of ferry routes of a busy port. */
const MANY_ROUTES = 10

export const portCollection = defineCollection({
  id: 'ports',
  title: 'Ports',
  about: 'Ports, by name, other names, town and UN/LOCODE; including those that only a ferry timetable has.',
  words: 'puerto, puertos, port, portua, porto, harbour, puerto de, port de',
  from: [ports],
  slices: { ferries: ferryNetwork },
  detail: '/api/maritimo/puertos/{id}',
  documents: function* ([state], { ferries }) {
    for (const { id, name, position, province_code, municipality_code, listed, connections } of portCatalogue(
      state.rows,
      ferries.connections,
    ).ports.values()) {
      const others = [listed?.published_name ?? null, ...(listed?.alternate_name?.split('; ') ?? [])]
      yield {
        id,
        title: name,
        subtitle: joinParts(['Puerto', townOf(municipality_code)]),
        names: others.filter((other) => other !== null && other !== name) as string[],
        codes: [id, listed?.locode ?? null],
        exact: [id, listed?.locode ?? null],
        text: [listed?.port_authority ?? null],
        position,
        province_code,
        municipality_code,
        importance: 0.35 + (listed?.harbor_size === 'LARGE' ? 0.1 : 0) + 0.2 * Math.min(1, connections.length / MANY_ROUTES),
      }
    }
  },
})

export const ferryCollection = defineCollection({
  id: 'ferries',
  title: 'Ferry routes',
  about: 'Ferry routes, one for each direction, by ports and operator.',
  words: 'ferry, ferries, ferri, barco, transbordador, vaixell, itsasontzia',
  weights: { title: 3 },
  slices: { ferries: ferryNetwork, listed: listedPorts },
  detail: '/api/maritimo/ferries/{id}',
  documents: function* (_states, { ferries, listed }) {
    const { portOf } = portCatalogue(listed, ferries.connections)
    for (const { id, calls, agency_name, name, network } of ferries.connections) {
      const [first, last] = [calls[0], calls.at(-1)]
      if (!first || !last) continue
      const origin = portOf(first)
      yield {
        id,
        title: `${origin.name} – ${portOf(last).name}`,
        subtitle: `Ferry, ${agency_name ?? network}`,
        names: name === null ? [] : [name],
        codes: [network],
        text: calls.map((terminal) => terminal.name),
        position: first.position,
        province_code: origin.province_code,
        importance: 0.35,
      }
    }
  },
})

const TYPE_LABELS = new Map(Object.entries(VESSEL_TYPES.codes).map(([code, { es }]) => [code, es]))

export const vesselCollection = defineCollection({
  id: 'vessels',
  title: 'Vessels',
  about: 'Vessels at sea, by name, call sign, MMSI and IMO number.',
  words: 'buque, buques, barco, vessel, ship, vaixell, itsasontzi, navio',
  from: [vesselPositions, vessels],
  detail: '/api/maritimo/buques/{mmsi}',
  documents: function* (states) {
    for (const { mmsi, name, callsign, imo_number, vessel_type, destination, position } of vesselsOf(states))
      yield {
        id: mmsi,
        title: name ?? `MMSI ${mmsi}`,
        subtitle: joinParts([TYPE_LABELS.get(vessel_type ?? '') ?? 'Buque', destination]),
        codes: [mmsi, callsign, imo_number],
        position,
        importance: 0.2,
      }
  },
})
