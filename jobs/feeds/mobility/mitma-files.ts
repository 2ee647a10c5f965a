import { textAt, xmlElements } from '../../formats/xml.ts'
import type { ArchiveFile, FeedBody, FeedRequest } from '../define.ts'
import { requestOf } from '../request.ts'

/** The ministry's words for the zone levels, in names of files and folders of the study since 2022. */
export const ZONE_FILES = [
  { zone_level: 'DISTRICT', word: 'distritos', folder: 'distritos' },
  { zone_level: 'MUNICIPALITY', word: 'municipios', folder: 'municipios' },
  { zone_level: 'GAU', word: 'gaus', folder: 'GAU' },
] as const

/**
 * The list of all files of the study since 2022. Each host lists its own files; both lists name the older host in their
 * headers.
 */
export const V2_INDEX = requestOf({
  name: 'rss',
  url: 'https://movilidad-opendata.mitma.es/RSS.xml',
  accept: 'application/rss+xml, application/xml',
  maxBytes: 64_000_000,
  timeout_ms: 120_000,
  expects: 'xml',
})

/** The list of all files of the study of 2020 and 2021. */
export const V1_INDEX: FeedRequest = { ...V2_INDEX, url: 'https://opendata-movilidad.mitma.es/RSS.xml' }

/**
 * The daily files in a list whose names match; the pattern's group is the day, as YYYYMMDD. Only the name identifies a file:
 * some files of districts are in folders of municipalities. If a name occurs twice, the one in `folder` counts; the other is
 * another revision.
 */
export function dailyFiles(index: readonly FeedBody[], wanted: { readonly name: RegExp; readonly folder: string }): ArchiveFile[] {
  const found: { readonly file: ArchiveFile; readonly isAtHome: boolean }[] = []
  for (const { bytes } of index)
    for (const items of xmlElements(bytes, { root: 'rss', each: ['item'] }))
      for (const item of items) {
        const url = textAt(item, 'link')
        if (url === null || !URL.canParse(url)) continue
        const { pathname } = new URL(url)
        const [, day] = wanted.name.exec(pathname.slice(pathname.lastIndexOf('/') + 1)) ?? []
        if (day === undefined) continue
        const period = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`
        found.push({ file: { period, url }, isAtHome: pathname.startsWith(wanted.folder) })
      }
  // The last of several files of a day counts.
  found.sort((one, other) => Number(one.isAtHome) - Number(other.isAtHome))
  return found.map(({ file }) => file)
}
