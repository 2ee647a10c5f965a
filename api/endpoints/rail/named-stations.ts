import { foldName } from '../../../lake/places/names.ts'
import { municipalityCodes } from '../../kernel/params/params-place.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import type { RailNetwork } from './network.ts'
import { type Station, stationsOf } from './station.ts'

const UNREGISTERED: Parameters<typeof stationsOf>[1] = new Map()

/**
 * The ids of the stations that a text means: the one with this code, else those whose name has words that begin like its words,
 * and those in the municipality of this name. Throws `InvalidParam` without any.
 */
export function namedStations(network: RailNetwork, parameter: string, text: string): ReadonlySet<string> {
  const stations = stationsOf(network, UNREGISTERED)
  const byCode = stations.filter(({ id }) => id.toLowerCase() === text.toLowerCase())
  if (byCode.length > 0) return idsOf(byCode)
  const wanted = foldName(text).split(' ')
  const municipalities = municipalityCodes(text, null)
  const named = stations.filter(({ name, municipality_code }) => {
    if (municipality_code !== null && municipalities.includes(municipality_code)) return true
    const words = foldName(name).split(' ')
    return wanted.every((one) => one !== '' && words.some((word) => word.startsWith(one)))
  })
  if (named.length > 0) return idsOf(named)
  const near = (): string | null =>
    nearest(
      text,
      stations.map(({ name }) => name),
    )
  throw new InvalidParam('expected the code of a station, words of its name, or its municipality', { parameter, value: text, near })
}

const idsOf = (stations: readonly Station[]): ReadonlySet<string> => new Set(stations.map(({ id }) => id))
