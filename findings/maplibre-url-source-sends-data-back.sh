#!/usr/bin/env bash
# MapLibre GL JS 6.17.0: a GeoJSON source that is given a URL is fetched and parsed in the worker. Expected: the data then stays
# there, so a URL (also of a blob) spares the page the cost of a large list. It is so that the worker sends the whole parsed list
# back: the page receives every feature as objects, which takes longer than to hand the list over as an object.
# Needs Debian's chromium (or CHROMIUM). Exits with 0 while that is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund maplibre-gl@6.17.0 playwright-core@1.65.1
cat >page.html <<'HTML'
<!doctype html><title>test</title><div id="map" style="width:400px;height:300px"></div>
<script type="module">
  let received = 0
  const size = (value) => JSON.stringify(value, (_, part) => (ArrayBuffer.isView(part) || part instanceof ArrayBuffer ? 0 : part))?.length ?? 0
  const Original = Worker
  globalThis.Worker = class extends Original {
    constructor(...given) {
      super(...given)
      this.addEventListener('message', ({ data }) => (received = Math.max(received, size(data))))
    }
  }
  const { Map: MapView, setWorkerUrl } = await import('/maplibre-gl.mjs')
  setWorkerUrl(new URL('/maplibre-gl-worker.mjs', location.href).href)
  const features = Array.from({ length: 12000 }, (_, at) => ({
    type: 'Feature',
    properties: { price: at % 100 },
    geometry: { type: 'Point', coordinates: [(at * 7919) % 360 - 180, (at * 104729) % 160 - 80] },
  }))
  const list = { type: 'FeatureCollection', features }
  const text = JSON.stringify(list)
  const map = new MapView({ container: 'map', center: [0, 0], zoom: 1, style: { version: 8, sources: {}, layers: [] } })
  await map.once('load')
  map.addSource('points', { type: 'geojson', data: { type: 'FeatureCollection', features: [] } })
  map.addLayer({ id: 'points', type: 'circle', source: 'points' })
  const set = async (data) => {
    received = 0
    await map.getSource('points').setData(data)
    return received
  }
  const asObject = await set(list)
  const asUrl = await set(URL.createObjectURL(new Blob([text])))
  globalThis.result = { list: text.length, asObject, asUrl }
</script>
HTML
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { chromium } from 'playwright-core'
const types = { html: 'text/html', mjs: 'text/javascript' }
const server = createServer(({ url }, reply) => {
  const file = url === '/' ? 'page.html' : `node_modules/maplibre-gl/dist${url}`
  try {
    const body = readFileSync(file)
    reply.writeHead(200, { 'Content-Type': types[file.split('.').at(-1)] ?? 'text/plain' }).end(body)
  } catch {
    reply.writeHead(404).end()
  }
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
})
const page = await browser.newPage()
page.on('pageerror', (error) => console.error(error.message))
await page.goto(`http://127.0.0.1:${server.address().port}/`)
await page.waitForFunction('globalThis.result', null, { timeout: 120_000 })
const { list, asObject, asUrl } = await page.evaluate('result')
await browser.close()
server.close()
console.log(`maplibre-gl 6.17.0, a list of ${list} characters; the largest message from the worker, in characters as JSON:`)
console.log(`  given as an object: ${asObject}`)
console.log(`  given as a URL:     ${asUrl}`)
process.exit(asObject < list / 10 && asUrl > list / 2 ? 0 : 1)
JS
node run.mjs
