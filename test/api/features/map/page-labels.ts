import type { Labels } from '../../../../api/browser/map/layers/layer.ts'

/** The labels of codes that the HTML of `/map` brings. */
export function labelsOf(html: string): Labels {
  const text = /data-labels="([^"]+)"/.exec(html)?.[1] ?? '{}'
  return JSON.parse(text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))) as Labels
}
