/** What a table says of a source's code; undefined where it lacks it, though the code be `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, code: string | null): T | undefined {
  return code !== null && Object.hasOwn(table, code) ? table[code] : undefined
}
