import { madridDate } from '../../lake/schema/time.ts'

/** An example text that documents show differently from the one that the laws request, because the data moves on. */
export interface Moving {
  /** The text for which the example rows of the datasets give a reply. */
  readonly of_rows: string
  /** What a document shows: a day in Madrid, this many days after the document's own; */
  readonly days?: number
  /** or the same text, for a thing that is only temporary: it illustrates, and the path's list has the current ones; */
  readonly is_listed?: true
  /** or nothing, if neither is set: the parameter is left out. */
}

/** The texts of an endpoint's example by parameter. */
export type Example = Readonly<Record<string, string | Moving>>

/** A date some days after today, by Madrid's calendar. */
export function dayFromToday(days: number, of_rows: string): Moving {
  return Object.freeze({ of_rows, days })
}

/** An id of a temporary thing. */
export function idOfListed(of_rows: string): Moving {
  return Object.freeze({ of_rows, is_listed: true })
}

/** A text that only example rows need. */
export function onlyOfRows(of_rows: string): Moving {
  return Object.freeze({ of_rows })
}

/** The texts of an example in a document of an instant (ms); without one, those for example rows. */
export function exampleTexts(example: Example, now: number | null): Record<string, string> {
  return Object.fromEntries(
    Object.entries(example).flatMap(([name, one]) => {
      const text = textOf(one, now)
      return text === null ? [] : [[name, text]]
    }),
  )
}

/** True for the id of a temporary thing. */
export function isListed(one: string | Moving | undefined): boolean {
  return typeof one === 'object' && one.is_listed === true
}

function textOf(one: string | Moving, now: number | null): string | null {
  if (typeof one === 'string') return one
  if (now === null || isListed(one)) return one.of_rows
  return one.days === undefined ? null : madridDate(now, one.days)
}
