/** A fenced code block of a Markdown page. */
export interface CodeBlock {
  readonly language: string
  /** The path in backticks at the end of the line above, as in "Create `lake/x.ts`:"; null without one. */
  readonly file: string | null
  readonly code: string
}

/** The text below a heading, up to the next heading of the same or a higher level. Throws if the page has no such heading. */
export function section(page: string, heading: string): string {
  const lines = page.split('\n')
  const start = lines.indexOf(heading)
  if (start < 0) throw new Error(`no heading "${heading}"`)
  const level = heading.indexOf(' ')
  let isCode = false
  const end = lines.findIndex((line, at) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode
    return at > start && !isCode && /^#+ /.test(line) && line.indexOf(' ') <= level
  })
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n')
}

/** The code blocks of a Markdown text, in order, without the indentation of their list item. */
export function codeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  let above = ''
  let open: { readonly indent: string; readonly language: string; readonly lines: string[] } | null = null
  for (const line of text.split('\n')) {
    const [, indent = '', language = ''] = /^( *)```(\w*)$/.exec(line) ?? []
    const isFence = line.trim().startsWith('```')
    if (open && isFence) {
      blocks.push({ language: open.language, file: /`([^`\s]+)`:?$/.exec(above)?.[1] ?? null, code: open.lines.join('\n') })
      open = null
      above = ''
    } else if (open) open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
    else if (isFence) open = { indent, language, lines: [] }
    else if (line.trim() !== '') above = line.trim()
  }
  return blocks
}
