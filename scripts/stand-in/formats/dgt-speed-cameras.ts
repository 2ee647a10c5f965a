import type { DgtSpeedCamera } from '../world/speed-cameras.ts'
import { HEADER, linearLocation, locationSet, pointLocation, predefinedLocation, publication } from './datex1-locations.ts'

/** The options of a document. */
interface Options {
  readonly publishedAt: number
  /** True if one camera in forty has an unknown direction. */
  readonly hasUnknownCodes: boolean
}

/** A `PredefinedLocationsPublication` of DGT: sections of average speed, then the cabins of fixed cameras. */
export function dgtSpeedCameraLocations(cameras: readonly DgtSpeedCamera[], { publishedAt, hasUnknownCodes }: Options): string {
  const isOdd = (nth: number): boolean => hasUnknownCodes && nth % 40 === 7
  return publication('PredefinedLocationsPublication', publishedAt, [
    HEADER,
    locationSet(
      'CinemometrosVelocidadMedia',
      cameras.flatMap((one, nth) => (one.to ? locationOf(one, isOdd(nth)) : [])),
    ),
    locationSet(
      'CabinasCinemometro',
      cameras.flatMap((one, nth) => (one.to ? [] : locationOf(one, isOdd(nth)))),
    ),
  ])
}

function locationOf({ id, road, isPositive, from, to, destination }: DgtSpeedCamera, isOddOne: boolean): string {
  const direction = isOddOne ? 'sideways' : isPositive ? 'positive' : 'negative'
  const singularity = /^(A|AP|R)-/.test(road) ? 'AUTOPISTA / AUTOVÍA' : 'CARRETERA NACIONAL'
  const reference = { number: id, road, direction, destination, singularity }
  const name = `${to ? 'CVM' : 'CABINACINEMOMETRO'}_${id}`
  if (!to) return predefinedLocation(name, pointLocation({ ...reference, id: name, point: from }))
  const ends = [
    { ...reference, id: `${name}_ini`, point: from },
    { ...reference, id: `${name}_fin`, point: to },
  ] as const
  return predefinedLocation(name, linearLocation(...ends))
}
