import type { Json } from '../../../lake/schema/columns.ts'

/** Prefixes of the names in a graph, with their namespaces. */
export const PREFIXES = Object.freeze({
  dcat: 'http://www.w3.org/ns/dcat#',
  dcatap: 'http://data.europa.eu/r5r/',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
})

/** An IRI. */
export interface Iri {
  readonly iri: string
}

/** A text in a language, or with a datatype as prefixed name. */
export interface Literal {
  readonly text: string
  readonly lang?: string
  readonly type?: `xsd:${string}`
}

/** A resource: with an IRI, or a blank node that its owner contains. */
export interface Resource {
  readonly id?: string
  readonly type: string
  /** Values by prefixed name; a property without values is left out. */
  readonly properties: Readonly<Record<string, readonly Value[]>>
}

type Value = Iri | Literal | Resource

/** Resources as JSON-LD 1.1. */
export function jsonLd(resources: readonly Resource[]): { readonly [key: string]: Json } {
  return { '@context': PREFIXES, '@graph': resources.map(jsonOf) }
}

function jsonOf(value: Value): { readonly [key: string]: Json } {
  if ('iri' in value) return { '@id': value.iri }
  if ('text' in value)
    return { '@value': value.text, ...(value.lang ? { '@language': value.lang } : {}), ...(value.type ? { '@type': value.type } : {}) }
  const members = Object.entries(value.properties).filter(([, values]) => values.length > 0)
  return {
    ...(value.id ? { '@id': value.id } : {}),
    '@type': value.type,
    ...Object.fromEntries(members.map(([name, values]) => [name, values.map(jsonOf)])),
  }
}

/** Resources as Turtle 1.1. */
export function turtle(resources: readonly Resource[]): string {
  const prefixes = Object.entries(PREFIXES).map(([name, url]) => `@prefix ${name}: <${url}> .`)
  return `${[...prefixes, '', ...resources.map((one) => `${turtleIri(one.id ?? '')} ${turtleBody(one)} .`)].join('\n')}\n`
}

function turtleBody({ type, properties }: Resource): string {
  const members = Object.entries(properties).filter(([, values]) => values.length > 0)
  return [`a ${type}`, ...members.map(([name, values]) => `${name} ${values.map(turtleValue).join(', ')}`)].join(' ;\n  ')
}

function turtleValue(value: Value): string {
  if ('iri' in value) return turtleIri(value.iri)
  if (!('text' in value)) return `[ ${turtleBody(value)} ]`
  // Escapes of JSON strings are escapes of Turtle, too.
  const quoted = JSON.stringify(value.text)
  if (value.lang) return `${quoted}@${value.lang}`
  return value.type ? `${quoted}^^${value.type}` : quoted
}

/** An IRI in Turtle; forbidden characters are percent-encoded. */
function turtleIri(iri: string): string {
  return `<${iri.replaceAll(/[\u0000-\u0020<>"{}|^`\\]/g, (char) => encodeURIComponent(char))}>`
}
