/** A text as a SQL literal, for the engine's own settings, paths and names, which cannot be bound. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
