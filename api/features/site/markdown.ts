import { Marked } from 'marked'
import { escaped } from './html.ts'

const SAFE_SCHEMES = ['https:', 'http:', 'mailto:']

/** Raw HTML is shown as text, images as their alternative text, and links to other schemes as plain text. */
const markdown = new Marked({
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ text }) => escaped(text),
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      return isSafe(href) ? `<a href="${escaped(href)}">${text}</a>` : text
    },
  },
})

/** Renders a Markdown document that begins with its title: the title as text, the rest as HTML for `htmlPage`. */
export function renderMarkdown(text: string): { readonly title: string; readonly html: string } {
  const [first, ...rest] = markdown.lexer(text)
  if (first?.type !== 'heading' || first.depth !== 1) throw new Error('a Markdown document begins with its title: # Title')
  // Code that scrolls can be reached by keyboard.
  const html = markdown
    .parser(rest)
    .replaceAll(/<pre>(<code[^>]*>[^\n]*\n?<\/code>)?/g, (_whole, line: string | undefined) =>
      line === undefined ? '<pre tabindex="0">' : `<pre tabindex="0" class="command">${line}`,
    )
  return { title: first.text, html }
}

/** True if a link leads to a web page, a mail address or a relative place, as browsers read it. */
function isSafe(href: string): boolean {
  const url = URL.parse(href, 'https://relative.invalid/')
  return url !== null && SAFE_SCHEMES.includes(url.protocol)
}
