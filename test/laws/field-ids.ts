import type { Column, Columns } from '../../lake/schema/columns.ts'

/** A line of the register: dataset, field id, column, and 'retired' where it is no longer written. */
export type FieldLine = readonly string[]

/** The lines of a dataset's columns in the order of their ids. */
export function fieldLines({ id, columns }: { readonly id: string; readonly columns: Columns }): FieldLine[] {
  const line = (field: number, name: string, { retired }: Column): FieldLine => [id, `${field}`, name, ...(retired ? ['retired'] : [])]
  return Object.entries(columns)
    .flatMap(([name, column]) => [column.id, ...(column.secondId ? [column.secondId] : [])].map((field) => line(field, name, column)))
    .sort((one, other) => Number(one[1]) - Number(other[1]))
}

/** The text of the register with the ids above its counted ones; the written ids stay. */
export function withNewFields(text: string, declared: readonly { readonly id: string; readonly fields: readonly FieldLine[] }[]): string {
  const lines = text.trimEnd().split('\n')
  for (const { id, fields } of declared) {
    const counted = lines.findIndex((line) => line.startsWith(`${id} ids `))
    const count = counted === -1 ? 0 : Number(lines[counted]?.split(' ')[2])
    const added = fields.filter(([, field]) => Number(field) > count)
    if (added.length === 0) continue
    const head = `${id} ids ${added.at(-1)?.[1]}`
    if (counted === -1) lines.push(head)
    else lines[counted] = head
    lines.splice(lines.findLastIndex((line) => line.startsWith(`${id} `)) + 1, 0, ...added.map((line) => line.join(' ')))
  }
  return `${lines.join('\n')}\n`
}
