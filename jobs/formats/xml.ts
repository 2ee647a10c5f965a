import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { FormatError } from '../feeds/define.ts'

/** An element as read: local names only, since publishers choose prefixes. The text of an element with children is dropped. */
export interface XmlElement {
  readonly name: string
  /** By the names as published, prefix included; see `attribute`. */
  readonly attributes: Readonly<Record<string, string>>
  /** Trimmed; character references and CDATA resolved. */
  readonly text: string
  readonly children: readonly XmlElement[]
}

/** Limits for hostile documents; each has a default. */
interface XmlLimits {
  /** Elements inside elements. */
  readonly depth?: number
  /** Characters of one element's text. */
  readonly text?: number
  /** Elements inside one requested element. */
  readonly elements?: number
  /** Attributes of one element. */
  readonly attributes?: number
}

/** Which elements of a document to read. */
export interface XmlQuery {
  /** Local name that the root must have. */
  readonly root: string
  /** Local names of the elements to return, at any depth; not searched for inside one another. */
  readonly each: readonly string[]
  /**
   * Namespace of the names; elements of other namespaces keep their prefix, or get a colon, so no local name matches them. Any
   * namespace by default.
   */
  readonly namespace?: string
  /** Local names of elements to leave out, with all their content. */
  readonly without?: readonly string[]
  /** Called first, with the root's name and attributes; throws `FormatError` if they are wrong. */
  readonly check?: (root: XmlElement) => void
  readonly limits?: XmlLimits
  /** Set if the bytes are UTF-8 whatever the XML declaration states. */
  readonly isUtf8?: true
}

const LIMITS = { depth: 64, text: 1_048_576, elements: 100_000, attributes: 256 } as const
const NOTHING: readonly XmlElement[] = Object.freeze([])
const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({})
/** Bytes decoded and parsed at a time: each step returns its elements, so no document is in memory as a tree. */
const STEP = 65_536
/** Distinct names cached with their local part; a hostile document may have any number. */
const NAMES = 4_096

/** V8 copies shorter texts (SlicedString::kMinLength). */
const SHORTEST_CUT = 13

interface Building {
  name: string
  attributes: Readonly<Record<string, string>>
  text: string
  children: Building[]
}

/**
 * Reads the queried elements in document order, in batches while parsing. UTF-8 unless a byte order mark or the XML
 * declaration states otherwise (see `isUtf8`). DTDs are rejected, so only XML's five entities are known. Throws `FormatError`,
 * with line and column, if malformed, cut off or above the limits.
 */
export function* xmlElements(bytes: Uint8Array, query: XmlQuery): Generator<readonly XmlElement[], void> {
  const reader = elementReader(query)
  const decoder = query.isUtf8 ? new TextDecoder('utf-8', { fatal: true }) : decoderOf(bytes)
  for (let at = 0; at < bytes.length; at += STEP) {
    const last = at + STEP >= bytes.length
    reader.write(decode(decoder, bytes.subarray(at, at + STEP), at, last))
    const done = reader.take()
    if (done.length > 0) yield done
  }
  reader.end()
  const rest = reader.take()
  if (rest.length > 0) yield rest
}

/** An attribute by local name, whatever its prefix; undefined if missing. */
export function attribute(element: XmlElement, local: string): string | undefined {
  const plain = element.attributes[local]
  if (plain !== undefined) return plain
  for (const name in element.attributes) if (localName(name) === local) return element.attributes[name]
  return undefined
}

/** The type named by xsi:type, without its prefix; undefined if missing. */
export function xsiType(element: XmlElement): string | undefined {
  const type = attribute(element, 'type')
  return type === undefined ? undefined : localName(type.trim())
}

/** The first child of a local name, or of a path of them; undefined if one is missing. */
export function child(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let found = element
  for (const name of path) {
    if (found === undefined) return undefined
    found = first(found.children, name)
  }
  return found
}

function first(elements: readonly XmlElement[], name: string): XmlElement | undefined {
  for (const element of elements) if (element.name === name) return element
  return undefined
}

/** The text at a path of first children; null if missing or empty. */
export function textAt(element: XmlElement | undefined, ...path: readonly string[]): string | null {
  return child(element, ...path)?.text || null
}

function localName(name: string): string {
  const colon = name.indexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}

/** The same text as a property key: V8 interns it, so comparing names compares addresses. */
function internalized(name: string): string {
  return Object.keys({ [name]: true })[0] as string
}

/** The same text on its own: V8 cuts longer ones from their document, which then stays in memory as long as they do. */
function ownText(text: string): string {
  return text.length < SHORTEST_CUT ? text : ` ${text}`.slice(1)
}

interface Reader {
  write(text: string): void
  end(): void
  /** The elements finished since the last call. */
  take(): readonly XmlElement[]
}

function elementReader(query: XmlQuery): Reader {
  const limits = { ...LIMITS, ...query.limits }
  const wanted = new Set(query.each)
  const locals = new Map<string, string>()
  const parser = new SaxesParser()
  const open: Building[] = []
  let done: Building[] = []
  const without = new Set(query.without)
  /** Depth of the skipped element; 0 outside of one. */
  let leftOut = 0
  const scope = query.namespace === undefined ? null : namespaceScope(query.namespace)
  let current: Building | undefined
  let depth = 0
  let size = 0
  let attributes = 0

  const refuse = (what: string): FormatError => new FormatError(`XML: ${what} at line ${parser.line}, column ${parser.column}`)
  const local = (name: string): string => {
    const known = locals.get(name)
    if (known !== undefined) return known
    const short = internalized(scope === null || scope.has(name) ? localName(name) : name.includes(':') ? name : `:${name}`)
    if (locals.size < NAMES) locals.set(name, short)
    return short
  }
  const addText = (text: string): void => {
    if (current === undefined || leftOut > 0 || current.children !== NOTHING) return
    current.text = current.text === '' ? text : current.text + text
    if (current.text.length > limits.text) throw refuse(`<${current.name}> has more than ${limits.text} characters of text`)
  }

  parser.on('doctype', () => {
    throw refuse('a document type declaration is refused')
  })
  parser.on('attribute', () => {
    attributes++
    if (attributes > limits.attributes) throw refuse(`an element has more than ${limits.attributes} attributes`)
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('opentag', (tag) => {
    // Saxes makes an attribute object for every tag; empty ones are replaced by a shared one.
    const given = attributes === 0 ? NO_ATTRIBUTES : tag.attributes
    attributes = 0
    depth++
    if (depth > limits.depth) throw refuse(`elements are nested more than ${limits.depth} deep`)
    if (scope?.open(given, depth)) locals.clear()
    if (leftOut > 0) return
    const name = local(tag.name)
    if (current !== undefined && without.has(name)) {
      leftOut = depth
      return
    }
    if (depth === 1) {
      if (name !== query.root) throw refuse(`the root is <${name}>, expected <${query.root}>,`)
      query.check?.({ name, attributes: given, text: '', children: NOTHING })
    }
    if (current === undefined && !wanted.has(name)) return
    const element: Building = { name, attributes: given, text: '', children: NOTHING as Building[] }
    if (current !== undefined) {
      size++
      if (size > limits.elements) throw refuse(`<${open[0]?.name ?? current.name}> has more than ${limits.elements} elements`)
      if (current.children === NOTHING) {
        current.children = [element]
        current.text = ''
      } else current.children.push(element)
      open.push(current)
    }
    current = element
  })
  parser.on('closetag', () => {
    if (scope?.close(depth)) locals.clear()
    depth--
    if (leftOut > 0) {
      if (depth < leftOut) leftOut = 0
      return
    }
    if (current === undefined) return
    current.text = current.children === NOTHING ? ownText(current.text.trim()) : ''
    const parent = open.pop()
    if (parent === undefined) {
      done.push(current)
      size = 0
    }
    current = parent
  })

  return {
    write: (text) => {
      try {
        parser.write(text)
      } catch (cause) {
        throw asFormatError(cause, 'XML is not well-formed')
      }
    },
    end: () => {
      try {
        parser.close()
      } catch (cause) {
        throw asFormatError(cause, 'XML ends early')
      }
    },
    take: () => {
      const taken = done
      done = []
      return taken
    },
  }
}

/** The prefixes of one namespace, as declared by elements. `open` and `close` return true if they changed. */
interface NamespaceScope {
  has(name: string): boolean
  open(attributes: Readonly<Record<string, string>>, depth: number): boolean
  close(depth: number): boolean
}

function namespaceScope(namespace: string): NamespaceScope {
  let prefixes: ReadonlySet<string> = new Set()
  const outer: { readonly depth: number; readonly prefixes: ReadonlySet<string> }[] = []
  return {
    has(name) {
      const colon = name.indexOf(':')
      return prefixes.has(colon < 0 ? '' : name.slice(0, colon))
    },
    open(attributes, depth) {
      if (attributes === NO_ATTRIBUTES) return false
      let inner: Set<string> | null = null
      for (const name in attributes) {
        if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue
        inner ??= new Set(prefixes)
        const prefix = name.slice('xmlns:'.length)
        if (attributes[name] === namespace) inner.add(prefix)
        else inner.delete(prefix)
      }
      if (inner === null) return false
      outer.push({ depth, prefixes })
      prefixes = inner
      return true
    },
    close(depth) {
      const last = outer.at(-1)
      if (last?.depth !== depth) return false
      prefixes = last.prefixes
      outer.pop()
      return true
    },
  }
}

/** Saxes puts line and column first: `12:34: unclosed tag: d2:payload`. */
function asFormatError(cause: unknown, what: string): FormatError {
  if (cause instanceof FormatError) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  return new FormatError(`${what}: ${message.replace(/^(\d+):(\d+): /, 'line $1, column $2: ')}`, { cause })
}

/** The decoder of a document's bytes, by byte order mark, else by its XML declaration, else UTF-8 (XML 1.0, appendix F). */
function decoderOf(bytes: Uint8Array): TextDecoder {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le', { fatal: true })
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be', { fatal: true })
  const isUtf8 = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const start = String.fromCharCode(...bytes.subarray(0, 200))
  const declared = isUtf8 ? undefined : /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1]
  try {
    return new TextDecoder(declared ?? 'utf-8', { fatal: true })
  } catch (cause) {
    throw new FormatError(`XML: encoding ${declared} is not known`, { cause })
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array, at: number, last: boolean): string {
  try {
    return decoder.decode(bytes, { stream: !last })
  } catch (cause) {
    throw new FormatError(`XML: bytes ${at} to ${at + bytes.length} are not valid ${decoder.encoding}`, { cause })
  }
}
