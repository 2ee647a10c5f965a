import { gzipSync } from 'node:zlib'
import { chance, hash } from '../random.ts'
import type { MobilityZone } from '../world/mobility-zones.ts'

/** What a daily file is made of. */
export interface MobilityDay {
  readonly seed: number
  /** YYYYMMDD. */
  readonly day: string
  readonly zones: readonly MobilityZone[]
  readonly share: number
  readonly hasUnknownCodes: boolean
}

/** Zones beside its own that people of a zone sleep in. */
const ELSEWHERE = 12

/** Overnight stays of a day: `|`, LF, decimal points, gzip; the zone of residence is a district. */
export function overnightStays({ seed, day, zones, share, hasUnknownCodes }: MobilityDay): Buffer {
  const lines: string[] = []
  for (const zone of zones)
    for (const district of zone.districts) {
      const residents = zone.population / zone.districts.length
      const places = new Set([zone])
      for (let at = 0; at < ELSEWHERE; at++) places.add(zones[hash(seed, 'sleeps', district, day, at) % zones.length] as MobilityZone)
      for (const place of places) {
        const part = place === zone ? 0.9 : 0.01 * chance(seed, 'sleepers', district, place.id, day)
        lines.push(`${day}|${district}|${place.id}|${estimate(residents * part)}${hasUnknownCodes ? '|telefonia' : ''}`)
      }
    }
  const header = `fecha|zona_residencia|zona_pernoctacion|personas${hasUnknownCodes ? '|fuente' : ''}`
  return packed([header, ...lines.slice(0, Math.floor(lines.length * share))])
}

/** A number as the ministry writes it: at most three decimals, at least one. */
function estimate(value: number): string {
  const text = String(Math.round(value * 1000) / 1000)
  return text.includes('.') ? text : `${text}.0`
}

function packed(lines: readonly string[]): Buffer {
  return gzipSync(`${lines.join('\n')}\n`, { level: 1 })
}

/** The list of files, as the ministry makes it: an item for each, the newest first. */
export function mitmaRss(urls: readonly string[], builtAt: number): string {
  const item = (url: string): string => `    <item>
      <title>
        <![CDATA[${url.slice(url.lastIndexOf('/') + 1)}]]>
      </title>
      <link>${url}</link>
      <guid isPermaLink="true">${url}</guid>
      <pubDate>${new Date(builtAt).toUTCString()}</pubDate>
    </item>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss
  xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:atom="http://www.w3.org/2005/Atom" version="2.0">
  <channel>
    <title>
      <![CDATA[Opendata Movilidad MITMA]]>
    </title>
    <link>https://www.mitma.es/ministerio/covid-19/evolucion-movilidad-big-data/opendata-movilidad</link>
    <generator>RSS for Node</generator>
    <lastBuildDate>${new Date(builtAt).toUTCString()}</lastBuildDate>
${urls.map(item).join('\n')}
  </channel>
</rss>
`
}
