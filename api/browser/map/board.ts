import { element } from './dom.ts'
import type { Board } from './layer.ts'

/** Draws what a message sign shows, as the driver reads it: amber letters on black, and the speed limit. */
export function boardElement({ pages, limit_kmh }: Board): HTMLElement {
  const made = element('div', { class: 'board' })
  if (limit_kmh !== null) made.append(element('span', { class: 'limit' }, String(limit_kmh)))
  made.append(
    ...pages.map((lines) => element('p', {}, ...lines.flatMap((line, at) => (at === 0 ? [line] : [document.createElement('br'), line])))),
  )
  return made
}
