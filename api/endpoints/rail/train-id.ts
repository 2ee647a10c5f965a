import { required, textParam } from '../../define/params.ts'

/**
 * The public id of a running train: network, train number and, where it has one, line. It is the same over the whole run and on every day,
 * while the source's trip ids change: those of long distance every night. Two trains of a day have one number 281 times among 115,493 of
 * the commuter timetable of 2026-06-13, each time on two lines. A train that states no number goes by its id in the publication.
 */
export function trainId(train: {
  readonly network: string
  readonly train_number: string | null
  readonly line: string | null
  readonly source_id: string
}): string {
  const id = `${train.network}-${train.train_number ?? train.source_id}`
  return train.line === null ? id : `${id}-${train.line}`
}

/** The id of a train, as a path has it. */
export const trainIdParam = required(
  textParam('Id of the train: network, train number and, of commuter trains, line.', { max: 60, example: 'CERCANIAS-23533-C1' }),
)

/** The network that an id begins with. */
export function networkOf(id: string): string {
  return id.slice(0, id.indexOf('-'))
}
