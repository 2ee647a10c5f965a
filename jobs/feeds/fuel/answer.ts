import { dayFirstInstant } from '../../formats/dates.ts'
import { readLongList } from '../../formats/json.ts'
import { type FeedBody, type FeedClock, FormatError } from '../define.ts'

/** Names of bodies that hold one province. */
const PROVINCE_BODY = /^province-(\d\d)$/

/** One answer of the ministry's service: its stations as published, and its time (ms). */
export interface FuelAnswer {
  readonly name: string
  /** The requested province; null for the whole country. */
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
 * Reads the envelope `{Fecha, ListaEESSPrecio, Nota, ResultadoConsulta}`. Throws `FormatError` unless it is an answer with
 * stations: also if cut off, refused, without a list, or with an unreadable time. With `needsTime` false an unreadable time is
 * NaN.
 */
export function readAnswer(body: FeedBody, { fetched_at, near = fetched_at }: FeedClock, { needsTime = true } = {}): FuelAnswer {
  const { envelope, batches } = readLongList(body.bytes, { list: 'ListaEESSPrecio' })
  const { Fecha, ResultadoConsulta } = envelope
  if (ResultadoConsulta !== 'OK') throw new FormatError(`ResultadoConsulta is ${shown(ResultadoConsulta)}, expected "OK"`)
  if (!batches) throw new FormatError('there is no list ListaEESSPrecio')
  const published = typeof Fecha === 'string' ? dayFirstInstant(Fecha, near) : Number.NaN
  if (needsTime && Number.isNaN(published)) throw new FormatError(`Fecha is ${shown(Fecha)}, expected dd/MM/yyyy H:mm:ss`)
  const province = PROVINCE_BODY.exec(body.name)?.[1] ?? null
  // Fail before any row is produced if one province's answer is bad.
  return { name: body.name, province, published, batches: province === null ? batches : [...batches] }
}

/** Recognizes an answer without stations: the list is empty, and the rest is short. */
const EMPTY = /"ListaEESSPrecio"\s*:\s*\[\s*\]/
const MOST_EMPTY_BYTES = 4096

/** True for an answer with an empty list of stations: a day that the archive lacks. */
export function isEmptyAnswer({ bytes }: FeedBody): boolean {
  return bytes.length <= MOST_EMPTY_BYTES && EMPTY.test(bytes.toString('utf8'))
}

/** The bytes of an answer's list of stations, without the answer's time and closing note. */
export function listOfAnswer({ bytes }: FeedBody): Buffer {
  const [from, to] = [bytes.indexOf('"ListaEESSPrecio"'), bytes.lastIndexOf('"Nota"')]
  return from < 0 || to < from ? bytes : bytes.subarray(from, to)
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 100)
}
