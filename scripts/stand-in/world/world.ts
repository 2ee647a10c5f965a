import { stationWriter } from '../formats/ministry-json.ts'
import { makeSensors, type Sensor } from './madrid-sensors.ts'
import { readGazetteer } from './municipalities.ts'
import { layRoads, type RoadNetwork } from './road-network.ts'
import { makeStations, type Station } from './stations.ts'

/** The generated Spain: what stands still in it. What moves is a function of this and an instant. */
export interface World {
  readonly seed: number
  readonly roads: RoadNetwork
  readonly sensors: readonly Sensor[]
  readonly stations: readonly Station[]
  /** A station as the ministry's JSON has it at an instant (ms). */
  readonly stationText: (station: Station, instant: number) => string
}

/** How large the generated Spain is. */
export interface Scale {
  /** Urban and M-30 sensors of Madrid. */
  readonly sensors: number
  readonly ringSensors: number
  /** Filling stations of the country. */
  readonly stations: number
}

/** Full scale, as in 2026. */
const FULL_SCALE: Scale = { sensors: 5817, ringSensors: 300, stations: 12_073 }

/** Makes a world; each part when it is first asked for. */
export function makeWorld(seed: number, scale: Scale = FULL_SCALE): World {
  const gazetteer = once(readGazetteer)
  const roads = once(() => layRoads(gazetteer(), seed))
  const sensors = once(() => makeSensors(seed, { urban: scale.sensors, ring: scale.ringSensors }))
  const stations = once(() => makeStations(gazetteer(), seed, scale.stations))
  return {
    seed,
    get roads() {
      return roads()
    },
    get sensors() {
      return sensors()
    },
    get stations() {
      return stations()
    },
    stationText: stationWriter(seed),
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
