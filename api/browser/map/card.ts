import { element, find, language } from './dom.ts'
import type { Board, Plan } from './layers/layer.ts'

const WORDS = {
  es: { request: 'La petición', copy: 'Copiar como curl', copied: 'Copiado', close: 'Cerrar' },
  en: { request: 'The request', copy: 'Copy as curl', copied: 'Copied', close: 'Close' },
}[language]

/** What a card shows of a thing. */
interface Card {
  readonly kind: string
  readonly title: string
  readonly lines: readonly string[]
  readonly board?: Board | null
  /** Path of the request that shows it. */
  readonly path: string
  /** The plan that the request needs. */
  readonly plan: Plan
  /** Called when the card is closed. */
  readonly onClose?: () => void
}

/** Draws what a message sign shows, as the driver reads it: amber letters on black, and the speed limit. */
export function boardElement({ pages, limit_kmh }: Board): HTMLElement {
  const made = element('div', { class: 'board' })
  if (limit_kmh !== null) made.append(element('span', { class: 'limit' }, String(limit_kmh)))
  made.append(
    ...pages.map((lines) => element('p', {}, ...lines.flatMap((line, at) => (at === 0 ? [line] : [document.createElement('br'), line])))),
  )
  return made
}

let onClosed: (() => void) | undefined

/** Closes the card, if one is open. */
export function closeCard(): void {
  find('card').hidden = true
  onClosed?.()
  onClosed = undefined
}

/** Opens the card of a thing. Returns the element for what arrives later. */
export function openCard({ kind, title, lines, board, path, plan, onClose }: Card): HTMLElement {
  closeCard()
  onClosed = onClose
  const card = find('card')
  const copy = element('button', { type: 'button', class: 'quiet' }, WORDS.copy)
  copy.addEventListener('click', () => {
    void navigator.clipboard
      .writeText(`curl ${plan === 'FREE' ? '' : '-H "X-API-Key: $KEY" '}'${location.origin}${path}'`)
      .then(() => (copy.textContent = WORDS.copied))
  })
  const close = element('button', { type: 'button', class: 'quiet close', 'aria-label': WORDS.close }, '×')
  close.addEventListener('click', closeCard)
  const more = element('div', { class: 'more' })
  card.replaceChildren(
    close,
    element('p', { class: 'note' }, kind),
    element('h2', {}, title),
    ...(board ? [boardElement(board)] : []),
    ...lines.filter(Boolean).map((line) => element('p', {}, line)),
    more,
    element(
      'p',
      { class: 'note' },
      `${WORDS.request} `,
      element('a', { href: path, target: '_blank', rel: 'noopener' }, element('code', {}, path)),
    ),
    copy,
  )
  card.hidden = false
  close.focus({ preventScroll: true })
  return more
}
