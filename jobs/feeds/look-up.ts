/** Looks up a source's code in a table; undefined if missing, even for a code such as `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, code: string | null): T | undefined {
  return code !== null && Object.hasOwn(table, code) ? table[code] : undefined
}
