import type { Language } from './layer.ts'

export const language: Language = document.documentElement.lang === 'en' ? 'en' : 'es'
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
/** Returns the address of a file beside the modules of pages. */
export const fileUrl = (name: string): string =>
  new URL(name, document.querySelector<HTMLScriptElement>('script[src$="/page.js"]')?.src).href
export const find = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E

/** Makes a button of the list, with a title and a line below it. */
export function item(title: string, line: string, onClick: () => void): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'item' }, element('strong', {}, title), element('span', {}, line))
  button.addEventListener('click', onClick)
  return button
}

/** Formats a length of time in s. */
export function span(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return seconds < 129_600 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

/** The parameters after #, where MapLibre keeps the view in `map`. */
export const hashParams = (): URLSearchParams => new URLSearchParams(location.hash.slice(1))

/** Keeps a parameter in the URL, so that the map can be shared; null removes it. */
export function keepInUrl(name: string, value: string | null): void {
  const params = hashParams()
  if (value === null) params.delete(name)
  else params.set(name, value)
  history.replaceState(history.state, '', `#${decodeURIComponent(params.toString())}`)
}
