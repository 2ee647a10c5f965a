import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DATE,
  DOUBLE,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalType,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  LIST,
  listValue,
  SQLNULL,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api'
import type { Column } from '../schema/columns.ts'
import type { Dataset } from '../schema/dataset.ts'
import { type PhysicalField, scalarType, tableFields } from '../schema/physical.ts'
import { badValue, canonicalJson, daysOf, microsOf, unscaledOf, wholeOf } from './values.ts'
import { toWkb } from './wkb.ts'

/** A value with the DuckDB type for binding. */
export class Bound {
  readonly value: DuckDBValue
  readonly type: DuckDBType

  constructor(value: DuckDBValue, type: DuckDBType) {
    this.value = value
    this.type = type
  }
}

/** A placeholder in a query that is resolved when it runs: the rows of a dataset. Created by `scan` and `files`. */
export abstract class Relation {
  abstract readonly dataset: Dataset
}

/** Allowed values in a hole of the tag; a bare value is bound by its JavaScript type. */
export type SqlPart = Sql | Relation | Bound | string | number | bigint | boolean | null

/** A quoted identifier, and the name of a column's type; private to this file, so that both come only from declarations. */
let quoted: (name: string) => Sql
let typeName: (duckdb: string) => Sql

/** A query, or part of one, from the `sql` tag: constant texts with bound values and relations between them. */
export class Sql {
  /** Only the tag can fill this, so nothing parsed from a caller's JSON passes as a query. */
  readonly #texts: readonly string[]
  readonly #holes: readonly (Bound | Relation)[]

  private constructor(texts: readonly string[], holes: readonly (Bound | Relation)[]) {
    this.#texts = texts
    this.#holes = holes
  }

  /** Implements the tag; texts must come from a template literal. */
  static of(strings: TemplateStringsArray, parts: readonly SqlPart[]): Sql {
    if (!Array.isArray(strings) || !Object.isFrozen(strings) || !Array.isArray(strings.raw) || strings.length !== parts.length + 1)
      throw new TypeError('sql is a template tag: it does not accept text made at run time')
    const made = new Assembly()
    made.text(strings[0] as string)
    for (const [at, part] of parts.entries()) {
      made.part(part)
      made.text(strings[at + 1] as string)
    }
    return new Sql(made.texts, made.holes)
  }

  /** Parts with a separator in between; empty for no parts. */
  static join(parts: readonly SqlPart[], separator: Sql): Sql {
    const made = new Assembly()
    for (const [at, part] of parts.entries()) {
      if (at > 0) made.part(separator)
      made.part(part)
    }
    return new Sql(made.texts, made.holes)
  }

  static {
    quoted = (name) => new Sql([`"${name.replaceAll('"', '""')}"`], [])
    typeName = (duckdb) => new Sql([duckdb], [])
  }

  /** The relations in the query. */
  relations(): Relation[] {
    return this.#holes.filter((hole) => hole instanceof Relation)
  }

  /** Adds this query's texts and holes to an assembly. */
  into(made: { text(text: string): void; hole(hole: Bound | Relation): void }): void {
    made.text(this.#texts[0] as string)
    for (const [at, hole] of this.#holes.entries()) {
      made.hole(hole)
      made.text(this.#texts[at + 1] as string)
    }
  }
}

/** The texts and holes of a query under construction; there is one more text than holes. */
class Assembly {
  readonly texts: string[] = ['']
  readonly holes: (Bound | Relation)[] = []

  text(text: string): void {
    this.texts[this.texts.length - 1] += text
  }

  hole(hole: Bound | Relation): void {
    this.holes.push(hole)
    this.texts.push('')
  }

  part(part: SqlPart): void {
    if (part instanceof Sql) return part.into(this)
    this.hole(part instanceof Bound || part instanceof Relation ? part : bindPlain(part))
  }
}

/**
 * Writes a query. Holes take values (always bound), other queries, columns, and relations; text comes only from the template
 * itself.
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly SqlPart[]): Sql {
  return Sql.of(strings, parts)
}

/** Joins parts, with a comma by default. */
export function join(parts: readonly SqlPart[], separator: Sql = sql`, `): Sql {
  return Sql.join(parts, separator)
}

/** The quoted name of a column of a dataset's table; for a point `<name>_lat` and `<name>_lon`. Throws for an unknown name. */
export function column(dataset: Dataset, name: string): Sql {
  return quoted(fieldOf(dataset, name).name)
}

/** The quoted name of a field of a dataset's table, or of one that another writer added to it. */
export function fieldName(field: Pick<PhysicalField, 'name'>): Sql {
  return quoted(field.name)
}

/** The quoted name of a result column, as declared. Throws for an invalid name. */
export function outputName(name: string): Sql {
  return headerName(name, '')
}

/** The same after a text, such as the byte order mark with which a file begins. */
export function headerName(name: string, before: string): Sql {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`no column can be named ${name}`)
  return quoted(before + name)
}

/** A value cast to a scalar column's stored type. */
export function castTo(declared: Column, value: SqlPart): Sql {
  return sql`CAST(${value} AS ${typeName(scalarType(declared).duckdb)})`
}

/** A value cast to the type of a field of a table. */
export function castToField({ duckdb }: Pick<PhysicalField, 'duckdb'>, value: SqlPart): Sql {
  return sql`CAST(${value} AS ${typeName(duckdb)})`
}

/** The quoted id of a dataset. */
export function datasetName(dataset: Dataset): Sql {
  return quoted(dataset.id)
}

/** The name of a temporary table of a session, by its number. */
export function temporaryName(number: number): Sql {
  return quoted(`temporary_${number}`)
}

/** The field of a dataset's table by its physical name; throws with the existing names for an unknown one. */
export function fieldOf(dataset: Dataset, name: string): PhysicalField {
  const fields = tableFields(dataset)
  const found = fields.find((field) => field.name === name)
  if (!found) throw new Error(`${dataset.id} has no column ${name}; it has ${fields.map((field) => field.name).join(', ')}`)
  return found
}

/** An instant in ms since the epoch, bound as TIMESTAMPTZ. */
export function instant(ms: number): Bound {
  return new Bound(new DuckDBTimestampTZValue(BigInt(microsOf('instant', ms))), TIMESTAMPTZ)
}

/** A row's value bound with its column's type; a number for a point's latitude or longitude. */
export function bind(name: string, declared: Column, value: unknown): Bound {
  if (value === null || value === undefined) return new Bound(null, SQLNULL)
  if (declared.kind === 'list') {
    if (!Array.isArray(value)) throw badValue(name, value, 'a list is expected')
    const element = declared.of as Column
    const items = value.map((item) => bind(name, element, item))
    return new Bound(listValue(items.map((item) => item.value)), LIST(scalarDuckdbType(element)))
  }
  return new Bound(scalarDuckdbValue(name, declared, value), scalarDuckdbType(declared))
}

/** Values for `IN`, each bound with its column's type: `(?, ?)`; a list that matches nothing if there are none. */
export function bindList(name: string, declared: Column, values: readonly unknown[]): Sql {
  if (values.length === 0) return sql`(NULL)`
  return sql`(${join(values.map((value) => bind(name, declared, value)))})`
}

/** DuckDB's type of a field of a table, as node-api names it. */
export function fieldType(field: PhysicalField): DuckDBType {
  const { column } = field
  return column.kind === 'list' ? LIST(scalarDuckdbType(column.of as Column)) : scalarDuckdbType(column)
}

/** DuckDB's type of a scalar column, as node-api names it. */
function scalarDuckdbType(declared: Column): DuckDBType {
  switch (declared.kind) {
    case 'string':
    case 'code':
    case 'json':
      return VARCHAR
    case 'integer':
      return declared.long ? BIGINT : INTEGER
    case 'service_time':
      return INTEGER
    case 'decimal':
      return new DuckDBDecimalType(declared.precision ?? 9, declared.scale ?? 0)
    case 'float':
    case 'point':
      return DOUBLE
    case 'boolean':
      return BOOLEAN
    case 'instant':
      return TIMESTAMPTZ
    case 'local_date':
      return DATE
    case 'line':
    case 'polygon':
    case 'multipolygon':
      return BLOB
    case 'list':
      throw new Error('a list is no scalar')
  }
}

function scalarDuckdbValue(name: string, declared: Column, value: unknown): DuckDBValue {
  switch (declared.kind) {
    case 'string':
    case 'code':
      if (typeof value !== 'string') throw badValue(name, value, 'a text is expected')
      return value
    case 'json':
      return canonicalJson(name, value)
    case 'integer':
    case 'service_time':
      return declared.long ? BigInt(wholeOf(name, declared, value)) : wholeOf(name, declared, value)
    case 'decimal':
      return new DuckDBDecimalValue(BigInt(unscaledOf(name, declared, value)), declared.precision ?? 9, declared.scale ?? 0)
    case 'float':
    case 'point':
      if (typeof value !== 'number') throw badValue(name, value, 'a number is expected')
      return value
    case 'boolean':
      if (typeof value !== 'boolean') throw badValue(name, value, 'true or false is expected')
      return value
    case 'instant':
      return new DuckDBTimestampTZValue(BigInt(microsOf(name, value)))
    case 'local_date':
      return new DuckDBDateValue(daysOf(name, value))
    case 'line':
    case 'polygon':
    case 'multipolygon':
      return new DuckDBBlobValue(toWkb(declared.kind, name, value))
    case 'list':
      throw badValue(name, value, 'a scalar is expected')
  }
}

const MAX_INT = 2 ** 31

function bindPlain(value: string | number | bigint | boolean | null): Bound {
  if (value === null) return new Bound(null, SQLNULL)
  if (typeof value === 'string') return new Bound(value, VARCHAR)
  if (typeof value === 'boolean') return new Bound(value, BOOLEAN)
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return new Bound(value, BIGINT)
  if (Number.isSafeInteger(value))
    return Math.abs(value as number) < MAX_INT ? new Bound(value as number, INTEGER) : new Bound(BigInt(value as number), BIGINT)
  if (typeof value === 'number') return new Bound(value, DOUBLE)
  throw new TypeError(`a query cannot take ${Object.prototype.toString.call(value)} as a value`)
}

/** A query ready for the engine. */
export interface Rendered {
  readonly text: string
  readonly values: DuckDBValue[]
  readonly types: DuckDBType[]
}

/** The text and bound values of a query; `relation` returns the query for a relation. */
export function render(query: Sql, relation: (relation: Relation) => Sql): Rendered {
  let text = ''
  const values: DuckDBValue[] = []
  const types: DuckDBType[] = []
  const writer = {
    text: (part: string): void => {
      text += part
    },
    hole: (hole: Bound | Relation): void => {
      if (hole instanceof Relation) return relation(hole).into(writer)
      values.push(hole.value)
      types.push(hole.type)
      text += `$${values.length}`
    },
  }
  query.into(writer)
  return { text, values, types }
}
