import { required, textParam } from '../../kernel/params/params.ts'

/**
 * The public id of a running train: network, train number and, if any, line. Stable over the run and across days, while
 * long-distance trip ids change every night. Two trains of a day share a number 281 times among 115,493 of the commuter
 * timetable of 2026-06-13, always on two lines. Without a number, the id in the publication.
 */
export function trainId(train: NamedTrain & { readonly source_id: string }): string {
  return numberedTrainId(train) ?? idOf(train, train.source_id)
}

/**
 * The same for data that only names a train, in a timetable or alert; null without a number. The line comes from the trip id:
 * all 138,716 commuter trips of 2026-08-22 name the line of their route.
 */
export function numberedTrainId(train: NamedTrain): string | null {
  return train.train_number === null ? null : idOf(train, train.train_number)
}

/** The same for a timetable trip. */
export function trainIdOf(trip: {
  readonly network: string
  readonly train_number: string | null
  readonly route: { readonly short_name: string | null; readonly nucleo_code: string | null }
}): string | null {
  const { network, train_number, route } = trip
  return numberedTrainId({ network, train_number, line: route.nucleo_code === null ? null : route.short_name })
}

/** Identifying properties of a train. */
interface NamedTrain {
  readonly network: string
  readonly train_number: string | null
  /** Line for commuter rail; null for other trains. */
  readonly line: string | null
}

function idOf({ network, line }: NamedTrain, name: string): string {
  return line === null ? `${network}-${name}` : `${network}-${name}-${line}`
}

/** The train id as a path parameter. */
export const trainIdParam = required(
  textParam('Id of the train: network, train number and, of commuter trains, line.', { max: 60, example: 'CERCANIAS-23533-C1' }),
)

/** The network in the first part of an id. */
export function networkOf(id: string): string {
  return id.slice(0, id.indexOf('-'))
}
