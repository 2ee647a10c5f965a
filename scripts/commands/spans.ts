/**
 * Returns ordered days, months or years, named as an archive names its files, with consecutive ones joined to one span: thousands
 * of missing days would fill a screen otherwise.
 */
export function spansOf(periods: readonly string[]): string[] {
  const spans: { readonly first: string; last: string; count: number }[] = []
  for (const period of periods) {
    const span = spans.at(-1)
    if (span && nextOf(span.last) === period) Object.assign(span, { last: period, count: span.count + 1 })
    else spans.push({ first: period, last: period, count: 1 })
  }
  return spans.flatMap(({ first, last, count }) => (count < 3 ? [...new Set([first, last])] : [`${first} to ${last} (${count})`]))
}

/** Returns the next day, month or year; null after anything else. */
function nextOf(period: string): string | null {
  if (!/^\d{4}(-\d{2}){0,2}$/.test(period)) return null
  const [year, month, day] = period.split('-').map(Number) as [number, number?, number?]
  const next = day ? new Date(Date.UTC(year, (month as number) - 1, day + 1)) : new Date(Date.UTC(month ? year : year + 1, month ?? 0, 1))
  return next.toISOString().slice(0, period.length)
}
