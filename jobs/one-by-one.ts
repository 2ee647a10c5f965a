/**
 * Does work for each item, one after the other. A failure does not keep the others from it: failures are thrown at the end,
 * several as one `AggregateError` whose cause is the first. An aborted signal ends it at once.
 */
export async function oneByOne<T>(items: Iterable<T>, signal: AbortSignal, work: (item: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = []
  for (const item of items) {
    signal.throwIfAborted()
    try {
      await work(item)
    } catch (error) {
      if (signal.aborted) throw error
      errors.push(error)
    }
  }
  if (errors.length === 1) throw errors[0]
  const texts = errors.map((error) => (error instanceof Error ? error.message : String(error)))
  if (errors.length > 1) throw new AggregateError(errors, texts.join('; '), { cause: errors[0] })
}
