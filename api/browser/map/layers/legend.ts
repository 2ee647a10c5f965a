import { element, language, shape } from '../dom.ts'
import { type DataLayer, GREY, meaningsOf } from './layer.ts'
import { SIGNS } from './signs.ts'

/** The colours of a layer, but the one of what is unknown. */
export function coloursOf(layer: DataLayer): string[] {
  if (typeof layer.colour === 'string') return [layer.colour]
  return [...new Set(meaningsOf({ colour: layer.colour }, language).map(({ colour }) => colour))].filter((one) => one !== GREY)
}

const CIRCLE = 'M16 5a11 11 0 1 0 .01 0Z'
const SQUARE = 'M4 4h24v24H4Z'

/** Draws an outline in one colour or in stripes of several. */
function swatch(id: string, outline: string, colours: readonly string[]): Element {
  const drawing = shape('svg', { class: 'swatch', viewBox: '0 0 32 32', 'aria-hidden': 'true' })
  if (colours.length > 1) {
    const stripes = shape('linearGradient', { id: `colours-${id}` })
    const stop = (colour: string, at: number): Element => shape('stop', { offset: at / colours.length, 'stop-color': colour })
    stripes.append(...colours.flatMap((colour, at) => [stop(colour, at), stop(colour, at + 1)]))
    drawing.append(stripes)
  }
  const fill = colours.length > 1 ? `url(#colours-${id})` : (colours[0] ?? GREY)
  drawing.append(shape('path', { d: outline, fill, 'fill-rule': 'evenodd' }))
  return drawing
}

/** Draws the sign of a layer, in its colours, and the key to them, or null if it has one colour. */
export function legendOf(layer: DataLayer): { readonly sign: Element; readonly key: HTMLElement | null } {
  const plain = layer.isArea ? SQUARE : CIRCLE
  const meanings = meaningsOf(layer, language)
  const colours = coloursOf(layer)
  const items = meanings.map((one) => element('li', {}, swatch(layer.id, plain, [one.colour]), one.text))
  const label = `${layer.name[language]}: ${{ es: 'colores', en: 'colours' }[language]}`
  return {
    sign: swatch(layer.id, layer.sign ? SIGNS[layer.sign.shape] : plain, colours),
    key: items.length > 0 ? element('ul', { class: 'colours', 'aria-label': label }, ...items) : null,
  }
}
