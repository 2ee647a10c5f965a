/** Content of an element: text, numbers, or elements by name. Null and undefined are left out, and a list repeats its element. */
export type Xml = string | number | null | undefined | readonly Xml[] | { readonly [name: string]: Xml }

/** Escapes text for an XML element's content. */
export function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (mark) => (mark === '&' ? '&amp;' : mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : '&#13;'))
}

/**
 * Elements as XML without white space between them. `@name` is an attribute of its element and `#` the text of an element with
 * attributes. Names without a prefix get `prefix`.
 */
export function xmlOf(content: Xml, prefix = ''): string {
  if (content === null || content === undefined) return ''
  if (typeof content !== 'object') return escapeText(String(content))
  if (isList(content)) return content.map((one) => xmlOf(one, prefix)).join('')
  return Object.entries(content)
    .map(([name, value]) => (name.startsWith('@') ? '' : name === '#' ? xmlOf(value) : elementOf(name, value, prefix)))
    .join('')
}

function elementOf(name: string, value: Xml, prefix: string): string {
  if (value === null || value === undefined) return ''
  if (isList(value)) return value.map((one) => elementOf(name, one, prefix)).join('')
  const tag = name.includes(':') ? name : prefix + name
  const attributes = typeof value === 'object' ? Object.entries(value).filter(([key]) => key.startsWith('@')) : []
  const written = attributes.map(([key, text]) => ` ${key.slice(1)}="${escapeText(String(text)).replaceAll('"', '&quot;')}"`)
  return `<${tag}${written.join('')}>${xmlOf(value, prefix)}</${tag}>`
}

function isList(value: Xml): value is readonly Xml[] {
  return Array.isArray(value)
}
