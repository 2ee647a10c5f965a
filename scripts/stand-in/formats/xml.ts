/** Escapes text for an XML element's content. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (mark) => (mark === '&' ? '&amp;' : mark === '<' ? '&lt;' : '&gt;'))
}
