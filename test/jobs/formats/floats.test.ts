import { describe, expect, test } from 'vitest'
import { readCap } from '../../../jobs/formats/cap.ts'
import { readLocation } from '../../../jobs/formats/datex2.ts'
import { featureOf } from '../../../jobs/formats/gml.ts'
import { readGtfs } from '../../../jobs/formats/gtfs.ts'
import { type XmlElement, xmlElements } from '../../../jobs/formats/xml.ts'
import { openZip } from '../../../jobs/formats/zip.ts'
import { zipOf } from '../../helpers/zip.ts'

const element = (xml: string): XmlElement => [...xmlElements(Buffer.from(xml), { root: 'a', each: ['b'] })].flat()[0] as XmlElement

/** A format's reading of a latitude and a longitude; NaN or null for a text that is no number. */
type Reading = (lat: string, lon: string) => Promise<readonly (number | null)[]> | readonly (number | null)[]

const FORMATS: readonly (readonly [name: string, read: Reading])[] = [
  [
    'GTFS',
    async (lat, lon) => {
      const zip = await openZip(zipOf({ name: 'stops.txt', bytes: Buffer.from(`lat,lon\n${lat},${lon}\n`) }), { maxBytes: 1000 })
      for await (const records of readGtfs(zip, 'stops.txt', { requires: ['lat', 'lon'] }))
        if (records.next()) return [records.number(0), records.number(1)]
      return []
    },
  ],
  [
    'GML',
    (lat, lon) => {
      const { point } = featureOf(element(`<a><b><g><Point><coordinates>${lon},${lat}</coordinates></Point></g></b></a>`))
      return [point?.lat ?? null, point?.lon ?? null]
    },
  ],
  [
    'DATEX II',
    (lat, lon) => {
      const point = `<pointCoordinates><latitude>${lat}</latitude><longitude>${lon}</longitude></pointCoordinates>`
      const { from } = readLocation(element(`<a><b><tpegPointLocation><point>${point}</point></tpegPointLocation></b></a>`), {
        warn: () => undefined,
      })
      return [from?.lat ?? null, from?.lon ?? null]
    },
  ],
  [
    'CAP',
    (lat, lon) => {
      const area = `<area><polygon>${lat},${lon} 41,2 41,3 ${lat},${lon}</polygon></area>`
      const sent = '2026-11-27T12:00:00+01:00'
      const head = `<identifier>1</identifier><sent>${sent}</sent><status>Actual</status><msgType>Alert</msgType>`
      const ring = readCap(Buffer.from(`<alert>${head}<info>${area}</info></alert>`), (text) => expect.unreachable(text)).infos[0]?.areas[0]
        ?.rings[0]
      return [ring?.[0]?.[1] ?? null, ring?.[0]?.[0] ?? null]
    },
  ],
]

describe.each(FORMATS)('a coordinate in %s', (_name, read) => {
  test.each([
    ['40.5', '2.3E-5'],
    ['+4.05e1', '-4.7E-4'],
    ['40.', '.5'],
    ['40', '-.5'],
  ])('%s, %s is read', async (lat, lon) => expect(await read(lat, lon)).toEqual([Number(lat), Number(lon)]))
})
