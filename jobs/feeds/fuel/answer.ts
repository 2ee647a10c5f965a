import { dayFirstInstant } from '../../formats/dates.ts'
import { readLongList } from '../../formats/json.ts'
import { type FeedBody, FormatError } from '../define.ts'

/** Names of bodies that hold one province. */
const PROVINCE_BODY = /^province-(\d\d)$/

/** One answer of the ministry's service: its stations as they came, and when it was made (ms). */
export interface FuelAnswer {
  readonly name: string
  /** The province that was asked for; null for the whole country. */
  readonly province: string | null
  readonly published: number
  /** The stations, a batch at a time. */
  readonly batches: Iterable<readonly unknown[]>
}

/** Whether a body is the answer for one province, by its name. */
export function isProvince(body: FeedBody): boolean {
  return PROVINCE_BODY.test(body.name)
}

/**
 * Reads the envelope `{Fecha, ListaEESSPrecio, Nota, ResultadoConsulta}`. Throws `FormatError` for anything but an answer with stations:
 * cut off, refused by the service, made at an unreadable time, or without a list. Where the time does not matter it is NaN where it is unreadable.
 */
export function readAnswer(body: FeedBody, fetched_at: number, { needsTime = true } = {}): FuelAnswer {
  const { envelope, batches } = readLongList(body.bytes, { list: 'ListaEESSPrecio' })
  const { Fecha, ResultadoConsulta } = envelope
  if (ResultadoConsulta !== 'OK') throw new FormatError(`ResultadoConsulta is ${shown(ResultadoConsulta)}, expected "OK"`)
  if (!batches) throw new FormatError('there is no list ListaEESSPrecio')
  const published = typeof Fecha === 'string' ? dayFirstInstant(Fecha, fetched_at) : Number.NaN
  if (needsTime && Number.isNaN(published)) throw new FormatError(`Fecha is ${shown(Fecha)}, expected dd/MM/yyyy H:mm:ss`)
  const province = PROVINCE_BODY.exec(body.name)?.[1] ?? null
  // A bad answer of one province is to show before any row of it is given.
  return { name: body.name, province, published, batches: province === null ? batches : [...batches] }
}

/** How an answer without any station begins and ends: the list is empty, and nothing else in it is long. */
const EMPTY = /"ListaEESSPrecio"\s*:\s*\[\s*\]/
const MOST_EMPTY_BYTES = 4096

/** True for an answer that has a list of stations, and none in it: a day that the archive does not have. */
export function isEmptyAnswer({ bytes }: FeedBody): boolean {
  return bytes.length <= MOST_EMPTY_BYTES && EMPTY.test(bytes.toString('utf8'))
}

/** The bytes of an answer's list of stations, without the time that the answer was made at and the note behind the list. */
export function listOfAnswer({ bytes }: FeedBody): Buffer {
  const [from, to] = [bytes.indexOf('"ListaEESSPrecio"'), bytes.lastIndexOf('"Nota"')]
  return from < 0 || to < from ? bytes : bytes.subarray(from, to)
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 100)
}
