import type { CodeList } from '../../lake/schema/codes.ts'
import { type Column, col, type Json, type Line, type Point } from '../../lake/schema/columns.ts'

type May<T, N extends boolean> = Column<N extends true ? T | null : T>

/** Makes the constructors. The last argument is the example, as in a JSON reply; units are those of `UNITS`. */
function constructors<const N extends boolean>(nullable: N) {
  const more = (example: Json | undefined, options: object = {}) => ({
    ...options,
    nullable,
    ...(example === undefined ? {} : { example }),
  })
  const as = <T>(column: Column): May<T, N> => column as May<T, N>
  return Object.freeze({
    text: (about: string, example?: string | null) => as<string>(col.string(0, about, more(example))),
    code: (about: string, codes: CodeList, example?: string | null) => as<string>(col.code(0, about, codes, more(example))),
    json: (about: string, example?: Json) => as<Json>(col.json(0, about, more(example))),
    boolean: (about: string, example?: boolean | null) => as<boolean>(col.boolean(0, about, more(example))),
    instant: (about: string, example?: string | null) => as<number>(col.instant(0, about, more(example))),
    date: (about: string, example?: string | null) => as<string>(col.local_date(0, about, more(example))),
    integer: (about: string, unit: string, example?: number | null) => as<number>(col.integer(0, about, more(example, { unit }))),
    float: (about: string, unit: string, example?: number | null) => as<number>(col.float(0, about, more(example, { unit }))),
    /** `scale` is the number of digits after the point, of 9. */
    decimal: (about: string, unit: string, scale: number, example?: number | null) =>
      as<number>(col.decimal(0, about, { ...more(example, { unit }), scale })),
    point: (about: string, example?: Json) => as<Point>(col.point([0, 0], about, more(example))),
    line: (about: string, example?: Json) => as<Line>(col.line(0, about, more(example))),
    list: <E>(about: string, of: Column<E>, example?: Json) => as<readonly E[]>(col.list([0, 0], about, of, more(example))),
  })
}

/** Constructors of reply fields that no dataset stores and that always have a value. */
export const field = constructors(false)
/** The same for fields that may be null. */
export const maybe = constructors(true)
