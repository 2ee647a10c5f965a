import { ckanResources, listRequest } from '../../formats/ckan.ts'
import { SPANISH_MONTHS } from '../../formats/dates.ts'
import type { ArchiveFile, FeedBody, FeedRequest } from '../define.ts'

const YEAR_FIRST = new RegExp(`(20\\d\\d)\\W*(${SPANISH_MONTHS.join('|')})`, 'i')
const MONTH_FIRST = new RegExp(`(${SPANISH_MONTHS.join('|')})\\W*(?:de\\W*)?(20\\d\\d)`, 'i')

/** The request for the portal's list (CKAN) of the files of a dataset. */
export function portalList(dataset: string): FeedRequest {
  return listRequest(`https://datos.madrid.es/api/3/action/package_show?id=${dataset}`)
}

/**
 * The monthly files in the portal's list: those whose path matches `pattern` and that name a month (`2025. Enero`). The portal
 * numbers files arbitrarily, so only the list identifies them. Throws `FormatError` if the answer is not a list.
 */
export function monthlyFiles(index: readonly FeedBody[], pattern: RegExp): ArchiveFile[] {
  return index.flatMap(({ bytes }) =>
    ckanResources(bytes).flatMap(({ name, description, url }) => {
      if (typeof url !== 'string' || !URL.canParse(url) || !pattern.test(new URL(url).pathname)) return []
      const period = monthIn(`${name ?? ''} ${description ?? ''}`)
      return period === null ? [] : [{ period, url }]
    }),
  )
}

/** The month in a text, as YYYY-MM; null if there is none, as in the list of stations. */
function monthIn(text: string): string | null {
  const [, yearFirst, monthSecond] = YEAR_FIRST.exec(text) ?? []
  const [, monthFirst, yearSecond] = MONTH_FIRST.exec(text) ?? []
  const [year, month] = [yearFirst ?? yearSecond, monthSecond ?? monthFirst]
  if (!year || !month) return null
  return `${year}-${String(SPANISH_MONTHS.indexOf(month.toLowerCase()) + 1).padStart(2, '0')}`
}
