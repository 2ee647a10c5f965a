import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The kept screenshots: small, because only the layout and colours are compared. */
const FOLDER = new URL('./screenshots/', import.meta.url).pathname
/** Full-size screenshots that differ from the kept ones. */
const CHANGED = join(tmpdir(), 'traffic-screenshots')
/** Most pixels that may differ. */
const MAX_SHARE = 0.02
/** A kept pixel is this many CSS pixels wide, by the width of the window. */
const SCALES: Readonly<Record<number, number>> = { 360: 3, 768: 4, 1440: 4 }
/** The height of a page that is compared, in CSS pixels. */
const MAX_HEIGHT = 1800

/**
 * Runs in an empty page: scales a PNG down, encodes it as WebP, and compares it with a kept WebP. `share` is the part of
 * the pixels with a clearly different colour; 1 for another size.
 */
const COMPARE = `async ([png, kept, scale]) => {
  const load = async (type, base64) => createImageBitmap(await (await fetch('data:image/' + type + ';base64,' + base64)).blob())
  const pixels = (image, width, height) => {
    const canvas = new OffscreenCanvas(width, height)
    const pen = canvas.getContext('2d', { willReadFrequently: true })
    pen.imageSmoothingQuality = 'high'
    pen.drawImage(image, 0, 0, width, height)
    return canvas
  }
  const dataOf = (canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
  const image = await load('png', png)
  const small = pixels(image, Math.round(image.width / scale), Math.round(image.height / scale))
  const bytes = new Uint8Array(await (await small.convertToBlob({ type: 'image/webp', quality: 0.4 })).arrayBuffer())
  const webp = btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''))
  if (kept === null) return { webp, share: 1 }
  const [now, before] = [await load('webp', webp), await load('webp', kept)]
  if (now.width !== before.width) return { webp, share: 1 }
  const [width, common] = [now.width, Math.min(now.height, before.height)]
  const [one, other] = [now, before].map((each) => dataOf(pixels(each, each.width, each.height)))
  let different = width * Math.abs(now.height - before.height)
  for (let at = 0; at < width * common * 4; at += 4)
    if ([0, 1, 2].some((channel) => Math.abs(one[at + channel] - other[at + channel]) > 40)) different++
  return { webp, share: different / (width * Math.max(now.height, before.height)) }
}`

/** Takes a screenshot of the upper part of a page. Keys, ids and ports differ from run to run, in less than `MAX_SHARE`. */
export async function takeScreenshot(page: Page): Promise<Buffer> {
  const size = await page.evaluate<{ width: number; height: number }>(
    '({ width: innerWidth, height: document.documentElement.scrollHeight })',
  )
  return await page.screenshot({
    fullPage: true,
    clip: { x: 0, y: 0, width: size.width, height: Math.min(size.height, MAX_HEIGHT) },
    animations: 'disabled',
  })
}

/** Compares a screenshot with the kept one, in an empty page; `--update` of Vitest keeps it. Returns how it differs, or null. */
export async function comparison(reader: Page, name: string, png: Buffer, width: number): Promise<string | null> {
  const path = join(FOLDER, `${name}.webp`)
  const kept = existsSync(path) ? readFileSync(path).toString('base64') : null
  const { webp, share } = await reader.evaluate<{ webp: string; share: number }>(
    `(${COMPARE})(${JSON.stringify([png.toString('base64'), kept, SCALES[width] ?? 4])})`,
  )
  if (share <= MAX_SHARE) return null
  if (expect.getState().snapshotState.snapshotUpdateState === 'all') {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(path, Buffer.from(webp, 'base64'))
    return null
  }
  mkdirSync(CHANGED, { recursive: true })
  const changed = join(CHANGED, `${name}.png`)
  writeFileSync(changed, png)
  const text = kept === null ? 'is not kept yet' : `differs in ${(share * 100).toFixed(1)} % of the pixels`
  return `${name} ${text}: see ${changed}; look at it, then keep it with scripts/test --update test/browser/pages`
}
