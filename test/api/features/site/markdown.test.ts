import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../../api/features/site/markdown.ts'

const render = (body: string): string => renderMarkdown(`# Title\n\n${body}`).html.trim()

test('the title is taken out, and the rest is HTML', () => {
  expect(renderMarkdown('# A & B\n\nText of `code`.\n\n## Part\n\n- one\n- **two**\n')).toEqual({
    title: 'A & B',
    html: '<p>Text of <code>code</code>.</p>\n<h2>Part</h2>\n<ul>\n<li>one</li>\n<li><strong>two</strong></li>\n</ul>\n',
  })
  expect(render('| a |\n| - |\n| 1 |')).toContain('<table>')
})

test.each(['', 'Text.', '## Part'])('a document without a title is refused: %s', (text) => {
  expect(() => renderMarkdown(text)).toThrow('# Title')
})

test('raw HTML is shown as text', () => {
  expect(render('a <b onclick="x">c</b>')).toBe('<p>a &#60;b onclick=&#34;x&#34;&#62;c&#60;/b&#62;</p>')
  expect(render('<script>x</script>')).not.toContain('<script')
  expect(render('`<i>` and 1 < 2 & "3"')).toBe('<p><code>&lt;i&gt;</code> and 1 &lt; 2 &amp; &quot;3&quot;</p>')
})

test.each(['/docs', '#part', '../lake/README.md', 'README.md', 'https://example.org/?a=1', 'mailto:a@example.org'])(
  '%s is a link',
  (href) => {
    expect(render(`[see *this*](${href})`)).toBe(`<p><a href="${href}">see <em>this</em></a></p>`)
  },
)

test.each(['javascript:x', 'JavaScript:x', 'data:text/html,x', 'vbscript:x', 'file:///x', '<java\tscript:x>', '< javascript:x>'])(
  '%s is no link',
  (href) => {
    expect(render(`[see](${href})`)).not.toContain('href')
  },
)

test('an address cannot end its attribute or hide a scheme in entities', () => {
  expect(render('[see](/a"onclick="x&b)')).toBe('<p><a href="/a&#34;onclick=&#34;x&#38;b">see</a></p>')
  expect(render('[see](javascript&#58;x)')).not.toMatch(/href="javascript(?:&#58;|:)/)
})

test('an image is its alternative text: pages load nothing from elsewhere', () => {
  expect(render('![a <map>](https://example.org/a.png)')).toBe('<p>a &#60;map&#62;</p>')
})
