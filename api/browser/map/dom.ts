import type { Language } from './layers/layer.ts'

export const language: Language = document.documentElement.lang === 'en' ? 'en' : 'es'
/** The language of codes and of the API's texts, for people whose language the page itself has not. */
export const textsIn: string = document.getElementById('map')?.dataset['texts'] ?? language
const grouped = new Intl.NumberFormat(language, { useGrouping: 'always' })
export const count = (value: number): string => grouped.format(value)

/** Makes an element with attributes and content. */
export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...content)
  return made
}
/** Makes an element of a drawing, with a text if it has one. */
export function shape(tag: string, attributes: Readonly<Record<string, string | number>>, content = ''): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  made.textContent = content
  return made
}
/** Makes a link to the plans, with the name of the one that is needed. */
export const plansLink = (plan: string): HTMLElement => element('a', { href: `/plans?lang=${language}` }, `plan ${plan}`)
/** Returns the address of a file beside the modules of pages. */
export const fileUrl = (name: string): string =>
  new URL(name, document.querySelector<HTMLScriptElement>('script[src$="/page.js"]')?.src).href
export const find = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E

/** Windows in which panel and card lie on the south of the map. */
export const NARROW = matchMedia('(width < 50rem)')

/** What panel and card cover of the map and a margin, px from each side. */
export function covered(margin = 0): { readonly top: number; readonly left: number; readonly right: number; readonly bottom: number } {
  const [map, panel, card] = ['map', 'panel', 'card'].map((id) => find(id).getBoundingClientRect()) as [DOMRect, DOMRect, DOMRect]
  const isShown = card.height > 0
  const [west, east] = NARROW.matches ? [0, 0] : [panel.right - map.left, isShown ? map.right - card.left : 0]
  const south = NARROW.matches ? map.bottom - (isShown ? card : panel).top : 0
  return { top: margin, left: west + margin, right: east + margin, bottom: south + margin }
}
/** How far the middle of the uncovered map is from the middle of the whole, px. */
export function offset(): [number, number] {
  const { top, left, right, bottom } = covered()
  return [(left - right) / 2, (top - bottom) / 2]
}

/** Makes a button of the list, with a title and a line below it. */
export function item(title: string, line: string, onClick: () => void): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'item' }, element('strong', {}, title), element('span', {}, line))
  button.addEventListener('click', onClick)
  return button
}

/** The parameters after #, where MapLibre keeps the view in `map`. */
export const hashParams = (): URLSearchParams => new URLSearchParams(location.hash.slice(1))

/** Keeps a parameter in the URL, so that the map can be shared; null removes it. */
export function keepInUrl(name: string, value: string | null): void {
  const params = hashParams()
  if (value === null) params.delete(name)
  else params.set(name, value)
  history.replaceState(history.state, '', `#${params.toString().replaceAll(/%(2C|2F|3A|3B)/g, decodeURIComponent)}`)
}
