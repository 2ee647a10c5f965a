import { SaxesParser } from 'saxes'

/** The structure of an XML document: local names only, since prefixes have no meaning. */
export interface Structure {
  /** Every path of elements; attributes have the prefix `@` and values of `xsi:type` the prefix `=`. */
  readonly paths: ReadonlySet<string>
  /** `parent: a < b` if child a precedes child b somewhere. */
  readonly orders: ReadonlySet<string>
  /** Namespace of each local name. */
  readonly namespaces: ReadonlyMap<string, string>
}

/** Reads the structure of an XML text. Throws if it is not well-formed. */
export function structureOf(xml: string): Structure {
  const paths = new Set<string>()
  const orders = new Set<string>()
  const namespaces = new Map<string, string>()
  const open: { path: string; children: string[] }[] = []
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => {
    const parent = open.at(-1)
    const path = `${parent?.path ?? ''}/${tag.local}`
    paths.add(path)
    namespaces.set(tag.local, tag.uri)
    for (const attribute of Object.values(tag.attributes)) {
      if (attribute.prefix === 'xmlns') paths.add(`${path}@${attribute.name}=${attribute.value}`)
      else paths.add(attribute.local === 'type' ? `${path}@type=${attribute.value}` : `${path}@${attribute.local}`)
    }
    if (parent) {
      for (const before of parent.children) if (before !== tag.local) orders.add(`${parent.path}: ${before} < ${tag.local}`)
      if (!parent.children.includes(tag.local)) parent.children.push(tag.local)
    }
    open.push({ path, children: [] })
  })
  parser.on('closetag', () => void open.pop())
  parser.write(xml).close()
  return { paths, orders, namespaces }
}
