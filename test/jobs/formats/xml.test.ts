import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { attribute, child, textAt, type XmlElement, type XmlQuery, xmlElements, xsiType } from '../../../jobs/formats/xml.ts'
import { bestOf } from '../../helpers/best.ts'

function read(document: string | Uint8Array, query: Partial<XmlQuery> = {}): XmlElement[] {
  const bytes = typeof document === 'string' ? Buffer.from(document) : document
  return [...xmlElements(bytes, { root: 'list', each: ['item'], ...query })].flat()
}

function refusal(document: string | Uint8Array, query: Partial<XmlQuery> = {}): string {
  try {
    read(document, query)
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError)
    return (error as Error).message
  }
  throw new Error('the document was read')
}

const billionLaughs = `<?xml version="1.0"?>
<!DOCTYPE list [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, at) => `<!ENTITY ${'b'.repeat(at + 1)} "&${at ? 'b'.repeat(at) : 'a'};&${at ? 'b'.repeat(at) : 'a'};">`).join('')}]>
<list><item>&${'b'.repeat(30)};</item></list>`

test('elements come in document order, wherever they stand, with their text and children', () => {
  const items = read('<list><item id="1"> a </item><x><item id="2"><y>b</y><z/></item></x></list>')
  expect(items.map((item) => attribute(item, 'id'))).toEqual(['1', '2'])
  expect(items[0]?.text).toBe('a')
  expect(textAt(items[1], 'y')).toBe('b')
  expect(textAt(items[1], 'z')).toBeNull()
  expect(child(items[1], 'y', 'z')).toBeUndefined()
})

test('an element inside one of its own name is part of it, not another', () => {
  const items = read('<list><item><item>b</item></item></list>')
  expect(items).toHaveLength(1)
  expect(textAt(items[0], 'item')).toBe('b')
})

test('prefixes do not matter, in names, attributes and types', () => {
  for (const [p, q] of [
    ['', ''],
    ['a:', 'xsi:'],
    ['zz9:', 'i:'],
  ] as const) {
    const [item] = read(`<${p}list><${p}item ${q}type="${p}Kind" ${q}id="7"><${p}part>x</${p}part></${p}item></${p}list>`)
    expect(item?.name).toBe('item')
    expect(item && xsiType(item)).toBe('Kind')
    expect(item && attribute(item, 'id')).toBe('7')
    expect(textAt(item, 'part')).toBe('x')
  }
})

test('character references, the five entities and CDATA are text', () => {
  const [item] = read('<list><item>&lt;&amp;&gt;&quot;&apos;&#233;&#xF1;<![CDATA[<b>&amp;]]></item></list>')
  expect(item?.text).toBe(`<&>"'éñ<b>&amp;`)
})

test('a document type declaration is refused, entities and all, before anything grows', async () => {
  const before = process.memoryUsage().heapUsed
  const best = await bestOf(5, () => expect(refusal(billionLaughs)).toContain('document type declaration is refused'))
  expect(refusal('<!DOCTYPE list SYSTEM "file:///etc/passwd"><list/>')).toContain('line 1')
  expect(refusal('<!DOCTYPE html><html></html>')).toContain('document type declaration')
  expect(best).toBeLessThan(1_000)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
})

test('an undeclared entity is refused', () => {
  expect(refusal('<list><item>&eacute;</item></list>')).toContain('undefined entity')
  expect(refusal('<list><item>&constructor;</item></list>')).toContain('undefined entity')
})

test('a document that ends early says where, wherever it is cut', () => {
  const whole = '<?xml version="1.0"?>\n<list>\n<item>abc</item>\n<item>def</item>\n</list>'
  expect(read(whole)).toHaveLength(2)
  for (let cut = 0; cut < whole.length; cut++) expect(refusal(whole.slice(0, cut))).toMatch(/ends early|not well-formed/)
  expect(refusal(whole.slice(0, 52))).toMatch(/^XML ends early: line 4, column \d+: unclosed tag: (item|list)/)
})

test('a text that is not well-formed is refused with its place', () => {
  expect(refusal('<list><item></list>')).toMatch(/^XML is not well-formed: line 1, column \d+: unexpected close tag/)
  expect(refusal('<list/><list/>')).toContain('not well-formed')
  expect(refusal('<list/> text')).toContain('outside of root')
  expect(refusal('{"not": "xml"}')).toContain('outside of root')
})

test('another root is refused by name', () => {
  expect(refusal('<html><body/></html>')).toContain('the root is <html>, expected <list>')
})

test('depth, text, size and attributes are bounded', () => {
  const limits = { depth: 5, text: 10, elements: 20, attributes: 3 }
  expect(refusal(`<list>${'<a>'.repeat(5)}`, { limits })).toContain('nested more than 5 deep')
  expect(refusal('<list><item>12345678901</item></list>', { limits })).toContain('more than 10 characters')
  expect(refusal(`<list><item>${'<a/>'.repeat(21)}</item></list>`, { limits })).toContain('<item> has more than 20 elements')
  expect(refusal('<list a="" b="" c="" d=""/>', { limits })).toContain('more than 3 attributes')
  expect(read(`<list>${'<item><a/></item>'.repeat(50)}</list>`, { limits })).toHaveLength(50)
  expect(refusal(`<list>${'<a>'.repeat(1_000_000)}`)).toContain('nested more than 64 deep')
})

test('elements come while the document is read, not at its end', () => {
  const bytes = Buffer.from(`<list>${'<item>0123456789</item>'.repeat(100_000)}<broken`)
  let seen = 0
  expect(() => {
    for (const batch of xmlElements(bytes, { root: 'list', each: ['item'] })) seen += batch.length
  }).toThrow('ends early')
  expect(seen).toBeGreaterThan(90_000)
})

test('accented text survives every place where a step may cut it', () => {
  const filler = 'x'.repeat(65_536 - 30)
  for (let shift = 0; shift < 12; shift++)
    expect(read(`<list><!--${filler}${'y'.repeat(shift)}--><item>ñ€😀ñ€😀</item></list>`)[0]?.text).toBe('ñ€😀ñ€😀')
})

test('byte order mark and declared encoding are followed', () => {
  const text = '<list><item>Cañón</item></list>'
  const latin = Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${text}`, 'latin1')
  expect(read(`\uFEFF${text}`)[0]?.text).toBe('Cañón')
  expect(read(latin)[0]?.text).toBe('Cañón')
  expect(read(Buffer.from(`\uFEFF${text}`, 'utf16le'))[0]?.text).toBe('Cañón')
  expect(read(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16())[0]?.text).toBe('Cañón')
  expect(refusal(Buffer.from(text, 'latin1'))).toContain('not valid utf-8')
  expect(refusal('<?xml version="1.0" encoding="ebcdic-x"?><list/>')).toContain('encoding ebcdic-x is not known')
})

test('an empty body is no document', () => {
  expect(refusal('')).toContain('ends early')
})

describe('names of one namespace', () => {
  const ONE = 'http://example.org/one'
  const text = `<a:root xmlns:a="${ONE}" xmlns="http://example.org/other">
    <a:item><a:value>1</a:value><value>2</value></a:item>
    <item>3</item>
    <item xmlns="${ONE}"><value>4</value></item>
    <a:item xmlns:a="http://example.org/other">5</a:item>
    <b:item xmlns:b="${ONE}"><a:value>6</a:value></b:item>
  </a:root>`

  test("are matched whatever their prefix; other namespaces' never are", () => {
    const items = [...xmlElements(Buffer.from(text), { root: 'root', each: ['item'], namespace: ONE })].flat()
    expect(items.map((item) => item.children.map((one) => [one.name, one.text]))).toEqual([
      [
        ['value', '1'],
        [':value', '2'],
      ],
      [['value', '4']],
      [['value', '6']],
    ])
    expect(items.map((item) => child(item, 'value')?.text)).toEqual(['1', '4', '6'])
  })

  test('a root of another namespace is refused', () => {
    const read = (): unknown => [...xmlElements(Buffer.from('<x:root xmlns:x="urn:x"/>'), { root: 'root', each: ['item'], namespace: ONE })]
    expect(read).toThrow('the root is <x:root>')
  })
})

test('omitted elements are not returned, and the following ones are', () => {
  const text = '<r><item><no><value>1</value><no>2</no></no><value>3</value></item><no><item>4</item></no></r>'
  const items = [...xmlElements(Buffer.from(text), { root: 'r', each: ['item'], without: ['no'] })].flat()
  expect(items.map((item) => [item.text, item.children.map((one) => one.text)])).toEqual([
    ['', ['3']],
    ['4', []],
  ])
})
