import { madridDate } from '../../lake/schema/time.ts'

/** A text of an endpoint's example that a document shows otherwise than the laws ask it, because what the data tells of moves on. */
export interface Moving {
  /** The text with which the endpoint answers from the datasets' example rows. */
  readonly of_rows: string
  /** What a document shows: a day by Madrid's calendar, so many days after that of the document; */
  readonly days?: number
  /** the same text, of a thing that comes and goes: it only illustrates, and the list that the path belongs to has those that are there; */
  readonly is_listed?: true
  /** and the parameter is left out where neither is told. */
}

/** The texts of an endpoint's example by parameter. */
export type Example = Readonly<Record<string, string | Moving>>

/** A plain date so many days after today, by Madrid's calendar. */
export function dayFromToday(days: number, of_rows: string): Moving {
  return Object.freeze({ of_rows, days })
}

/** An id of a thing that comes and goes. */
export function idOfListed(of_rows: string): Moving {
  return Object.freeze({ of_rows, is_listed: true })
}

/** A text that is needed where example rows are asked for, and nowhere else. */
export function onlyOfRows(of_rows: string): Moving {
  return Object.freeze({ of_rows })
}

/** The texts of an example as a document of an instant (ms) shows them; without one, those that example rows answer. */
export function exampleTexts(example: Example, now: number | null): Record<string, string> {
  return Object.fromEntries(
    Object.entries(example).flatMap(([name, one]) => {
      const text = textOf(one, now)
      return text === null ? [] : [[name, text]]
    }),
  )
}

/** True for the id of a thing that comes and goes. */
export function isListed(one: string | Moving | undefined): boolean {
  return typeof one === 'object' && one.is_listed === true
}

function textOf(one: string | Moving, now: number | null): string | null {
  if (typeof one === 'string') return one
  if (now === null || isListed(one)) return one.of_rows
  return one.days === undefined ? null : madridDate(now, one.days)
}
