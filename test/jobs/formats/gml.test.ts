import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { featureOf, type GmlFeature } from '../../../jobs/formats/gml.ts'
import { xmlElements } from '../../../jobs/formats/xml.ts'

/** A collection of cameras, with the coordinates of each and the attributes that say how they are written. */
function collection(...points: readonly (readonly [attributes: string, coordinates: string])[]): Buffer {
  const members = points.map(
    ([attributes, coordinates], at) =>
      `<gml:featureMember><cite:cameres fid="cameres.fid-${at}"><cite:geom><gml:Point srsName="http://www.opengis.net/gml/srs/epsg.xml#4326"><gml:coordinates ${attributes}>${coordinates}</gml:coordinates></gml:Point></cite:geom><cite:carretera> C-31 </cite:carretera><cite:pk></cite:pk></cite:cameres></gml:featureMember>`,
  )
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml" xmlns:cite="http://www.opengeospatial.net/cite" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengeospatial.net/cite http://localhost:1/never-asked"><gml:boundedBy><gml:null>unknown</gml:null></gml:boundedBy>${members.join('')}</wfs:FeatureCollection>`,
  )
}

const read = (bytes: Buffer): GmlFeature[] =>
  [...xmlElements(bytes, { root: 'FeatureCollection', each: ['featureMember'] })].flat().flatMap(({ children }) => children.map(featureOf))

test('a feature has a type, an id of its server, a point with longitude first, and texts', () => {
  const [feature] = read(collection(['decimal="." cs="," ts=" "', '2.01148073,41.41313117']))
  expect([feature?.type, feature?.fid, feature?.point]).toEqual(['cameres', 'cameres.fid-0', { lat: 41.41313117, lon: 2.01148073 }])
  expect([feature?.text('carretera'), feature?.text('pk'), feature?.text('link')]).toEqual(['C-31', null, null])
})

test('the element says how its numbers are written; without a word it is as the standard has it', () => {
  const points = read(
    collection(
      ['', ' 2.5,41.25 '],
      ['decimal="," cs=" " ts=";"', '2,5 41,25'],
      ['decimal="," cs=";"', '-0,5;+41,25'],
      ['cs=","', '2.5, 41.25'.replace(' ', '')],
      ['', '2.5,41.25 3.5,42.25'],
      ['', '2,41'],
    ),
  ).map(({ point }) => point)
  const there = { lat: 41.25, lon: 2.5 }
  expect(points).toEqual([there, there, { lat: 41.25, lon: -0.5 }, there, there, { lat: 41, lon: 2 }])
})

test('coordinates that are no two numbers are NaN, and no coordinates are no point', () => {
  const points = read(collection(['', '2.5'], ['', 'x,41'], ['', '2,5,41,25'], ['decimal=","', '2.5,41.25'], ['', ''])).map(
    ({ point }) => point,
  )
  expect(points.slice(0, 2)).toEqual([
    { lat: Number.NaN, lon: 2.5 },
    { lat: 41, lon: Number.NaN },
  ])
  for (const at of [2, 3]) expect(points[at]).toEqual({ lat: Number.NaN, lon: Number.NaN })
  expect(points[4]).toBeNull()
})

test('a document cut anywhere is refused, and so is another one', () => {
  const whole = collection(['', '2.5,41.25'], ['', '2.5,41.25'])
  for (let cut = 60; cut < whole.length; cut += 13) expect(() => read(whole.subarray(0, cut))).toThrow(FormatError)
  expect(() => read(Buffer.from('<ServiceExceptionReport/>'))).toThrow('the root is <ServiceExceptionReport>')
})
