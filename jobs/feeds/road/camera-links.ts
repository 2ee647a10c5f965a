/** Hosts of camera images, and whether they are known to answer https too. Links to other hosts are never passed on. */
export type ImageHosts = Readonly<Record<string, { readonly hasHttps: boolean }>>

/**
 * Parses the link to a camera's image: null for a link to a host that is not listed, with a port or credentials, or for a text
 * that is no link. The scheme is https where the link or the list says so.
 */
export function imageLink(text: string, hosts: ImageHosts): URL | null {
  const url = URL.parse(text.trim())
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  const host = Object.hasOwn(hosts, url.hostname) ? hosts[url.hostname] : undefined
  if (!host || url.port !== '' || url.username !== '' || url.password !== '') return null
  if (host.hasHttps) url.protocol = 'https:'
  url.hash = ''
  return url
}
