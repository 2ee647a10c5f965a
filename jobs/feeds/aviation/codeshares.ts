/** A record of Aena as its JSON has it. */
export type AenaRecord = Readonly<Record<string, unknown>>

/** The member with a flight's other numbers. */
export const CODESHARES = 'codeshares'

/** Records that differ in any of these are different flights. */
const SAME = ['tipoVuelo', 'iataAena', 'iataOtro', 'fecha', 'horaProgramada'] as const
/** Two records of one flight may lack some of these, but never differ in them. */
const ALIKE = ['terminal', 'puertaPrimera', 'cintaPrimera', 'tipoAeronave', 'fechaEstimada', 'horaEstimada', 'estado'] as const

/** A text of a record; null if missing. Aena writes some missing values as the word `null`. */
export function textOf(record: AenaRecord, name: string): string | null {
  const value = record[name]
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  return text === '' || text === 'null' ? null : text
}

/** The number of a flight, `IB438`; null without airline or number. */
export function flightNumber(record: AenaRecord): string | null {
  const [airline, number] = [textOf(record, 'iataCompania') ?? textOf(record, 'oaciCompania'), textOf(record, 'numVuelo')]
  return airline === null || number === null ? null : `${airline}${number.replace(/^0+(?=.)/, '')}`
}

/**
 * Merges the records of one flight, which each airline sells under its own number, into one with the lowest number and the others
 * as `codeshares`. An airline sells a flight once, so two records of one airline are two flights.
 */
export function mergeCodeshares(records: readonly AenaRecord[]): readonly AenaRecord[] {
  const groups = Map.groupBy(records, (record) => SAME.map((name) => textOf(record, name)).join('|'))
  return [...groups.values()].flatMap((group) => {
    const flights: AenaRecord[][] = []
    for (const record of group.toSorted(byNumber)) {
      const flight = flights.find((found) => found.every((other) => isOneFlight(other, record)))
      if (flight) flight.push(record)
      else flights.push([record])
    }
    return flights.map(([first, ...others]) => ({
      ...first,
      [CODESHARES]: others
        .flatMap((one) => flightNumber(one) ?? [])
        .sort()
        .join(),
    }))
  })
}

function isOneFlight(one: AenaRecord, other: AenaRecord): boolean {
  if (flightNumber(one) === null || flightNumber(other) === null) return false
  if (textOf(one, 'iataCompania') === textOf(other, 'iataCompania')) return false
  return ALIKE.every((name) => {
    const [here, there] = [textOf(one, name), textOf(other, name)]
    return here === null || there === null || here === there
  })
}

/** Partners have the high numbers: the operating airline's sort first. */
function byNumber(one: AenaRecord, other: AenaRecord): number {
  const [here, there] = [one, other].map((record) => Number(textOf(record, 'numVuelo')?.replace(/\D/g, '') ?? Number.NaN)) as [
    number,
    number,
  ]
  return here - there || String(flightNumber(one)).localeCompare(String(flightNumber(other)), 'en')
}
