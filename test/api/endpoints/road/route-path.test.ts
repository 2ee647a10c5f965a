import { describe, expect, test } from 'vitest'
import { readPath } from '../../../../api/endpoints/road/along/encoded-path.ts'
import type { Line } from '../../../../lake/schema/columns.ts'

/** Encodes a line with five decimals, as Google describes it. */
function encoded(line: Line): string {
  let text = ''
  let [last_lat, last_lon] = [0, 0]
  const put = (value: number): void => {
    let rest = value < 0 ? ~(value << 1) : value << 1
    while (rest >= 0x20) {
      text += String.fromCharCode((0x20 | (rest & 0x1f)) + 63)
      rest >>= 5
    }
    text += String.fromCharCode(rest + 63)
  }
  for (const [lon, lat] of line) {
    const [x, y] = [Math.round(lon * 1e5), Math.round(lat * 1e5)]
    put(y - last_lat)
    put(x - last_lon)
    ;[last_lat, last_lon] = [y, x]
  }
  return text
}

describe('the parameter path', () => {
  test('is a polyline of five or six decimals, or a GeoJSON LineString', () => {
    // The example of the algorithm's own documentation.
    const line = [
      [-120.2, 38.5],
      [-120.95, 40.7],
      [-126.453, 43.252],
    ]
    expect(readPath('_p~iF~ps|U_ulLnnqC_mqNvxq`@', 5)).toEqual(line)
    expect(readPath('_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI', 6)).toEqual(line)
    expect(readPath(JSON.stringify({ type: 'LineString', coordinates: line.map(([lon, lat]) => [lon, lat, 12]) }), 5)).toEqual(line)
    expect(readPath(JSON.stringify({ type: 'Feature', properties: null, geometry: { type: 'LineString', coordinates: line } }), 5)).toEqual(
      line,
    )
  })

  test('is a polyline whatever its first character is', () => {
    const first = new Set<string>()
    for (let lat = 35; lat < 44; lat += 0.00731) {
      const line = [
        [-3.7, lat],
        [-3.8, lat + 0.1],
      ].map((one) => one.map((part) => Math.round(part * 1e5) / 1e5) as [number, number])
      const text = encoded(line)
      first.add(text.charAt(0))
      expect(readPath(text, 5), text).toEqual(line)
    }
    expect(first).toContain('{')
    expect(first.size).toBe(16)
  })

  test.each([
    ['_p~iF~ps|U_ulLnnqC_mqNvxq', /cut off/],
    ['_p~iF ~ps|U', /invalid character/],
    ['_p~iF~ps|U', /two different/],
    ['_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI', /precision=6/],
    ['{"type":"Point","coordinates":[1,2]}', /LineString/],
    ['{"type":"LineString","coordinates":[[1,"2"],[3,4]]}', /\[lon, lat\]/],
    ['{"type":"LineString","coordinates":[[1,2],[1,2]]}', /two different/],
    ['{"type":', /no valid JSON/],
  ])('%s is refused', (text, message) => {
    expect(() => readPath(text, 5)).toThrow(message)
  })
})
