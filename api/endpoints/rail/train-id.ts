import { required, textParam } from '../../define/params.ts'

/**
 * The public id of a running train: network, train number and, where it has one, line. It is the same over the whole run and on every day,
 * while the source's trip ids change: those of long distance every night. Two trains of a day have one number 281 times among 115,493 of
 * the commuter timetable of 2026-06-13, each time on two lines. A train that states no number goes by its id in the publication.
 */
export function trainId(train: NamedTrain & { readonly source_id: string }): string {
  return numberedTrainId(train) ?? idOf(train, train.source_id)
}

/**
 * The same of what tells no more of a train than its name, be it in the timetable or in an alert; null where it has no number. Its line is
 * the one inside its trip id, which the timetable says too: of 138,716 commuter trips of 2026-08-22 each names the line of its route.
 */
export function numberedTrainId(train: NamedTrain): string | null {
  return train.train_number === null ? null : idOf(train, train.train_number)
}

/** The same of a trip of the timetable. */
export function trainIdOf(trip: {
  readonly network: string
  readonly train_number: string | null
  readonly route: { readonly short_name: string | null; readonly nucleo_code: string | null }
}): string | null {
  const { network, train_number, route } = trip
  return numberedTrainId({ network, train_number, line: route.nucleo_code === null ? null : route.short_name })
}

/** What names a train. */
interface NamedTrain {
  readonly network: string
  readonly train_number: string | null
  /** Line of commuter rail; null for other trains. */
  readonly line: string | null
}

function idOf({ network, line }: NamedTrain, name: string): string {
  return line === null ? `${network}-${name}` : `${network}-${name}-${line}`
}

/** The id of a train, as a path has it. */
export const trainIdParam = required(
  textParam('Id of the train: network, train number and, of commuter trains, line.', { max: 60, example: 'CERCANIAS-23533-C1' }),
)

/** The network that an id begins with. */
export function networkOf(id: string): string {
  return id.slice(0, id.indexOf('-'))
}
