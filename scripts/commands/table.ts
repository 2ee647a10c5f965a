import type { Json } from '../../lake/schema/columns.ts'

/** Formats rows as a text table with aligned columns, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly Json[])[]): string {
  const cells = rows.map((row) =>
    row.map((value) => (value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value))),
  )
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const right = head.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number' || row[at] === null))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (right[at] ? cell.padStart(widths[at] as number) : cell.padEnd(widths[at] as number)))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')
}
