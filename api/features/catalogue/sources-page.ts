import type { SourceMode } from '../../../lake/system.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { escaped, htmlPage } from '../site/html.ts'
import type { SourceEntry } from './catalogue-reads.ts'
import { domainName, duration, english, useTag } from './catalogue-words.ts'

const WORDS = inBoth({
  title: ['Fuentes', 'Sources'],
  lead: [
    (sources: number) => `${sources} publicadores, con la licencia de cada uno, la cita que exige y los datos que leemos de él.`,
    (sources: number) => `${sources} publishers, each with its licence, the attribution it requires and what we read from it.`,
  ],
  about: ['Las fuentes de los datos, con licencia, cita y cadencia.', 'The sources of the data, with licence, attribution and cadence.'],
  licence: ['Licencia', 'Licence'],
  attribution: ['Cita', 'Attribution'],
  datasets: ['Conjuntos de datos', 'Datasets'],
  feeds: ['Canales', 'Feeds'],
  every: ['cada', 'every'],
  off: ['no se lee', 'not fetched'],
  elsewhere: ['Lo mismo en JSON', 'The same as JSON'],
})

/** Datasets of a publisher that are shown; more are folded. */
const SHOWN = 8

/** Renders the publishers by domain, with licence, attribution, datasets and feeds. */
export function sourcesPage(
  language: Language,
  { sources, mode, url }: { readonly sources: readonly SourceEntry[]; readonly mode: SourceMode; readonly url: string },
): string {
  const words = WORDS[language]
  const sections = [...Map.groupBy(sources, ({ domains: [domain = ''] }) => domain)].map(
    ([domain, ones]) =>
      `<section aria-labelledby="domain-${domain}"><h2 id="domain-${domain}">${escaped(domainName(domain, language))}</h2><div class="sources">${ones.map((one) => entry(one, language)).join('\n')}</div></section>`,
  )
  return htmlPage(language, {
    ...{ title: words.title, about: words.about, path: '/sources', isWide: true, mode, url, styles: ['catalogue.css'] },
    body: `<p class="lead">${words.lead(sources.length)}</p>
${sections.join('\n')}
<p><a href="/api/sources">${words.elsewhere}</a></p>`,
  })
}

function entry(source: SourceEntry, language: Language): string {
  const words = WORDS[language]
  const { id, name, url, licence, licence_url, attribution, commercial_use, datasets, feeds } = source
  const links = datasets.map((dataset) => `<a href="/datasets/${dataset}?lang=${language}"><code>${dataset}</code></a>`)
  const listed = links.length <= SHOWN ? links.join(' ') : `<details><summary>${links.length}</summary>${links.join(' ')}</details>`
  const feed = (one: SourceEntry['feeds'][number]): string => {
    const state = one.enabled ? `${words.every} ${duration(one.cadence_s, language)}` : words.off
    const reason = one.disabled_reason === null ? '' : `: ${english(one.disabled_reason, language)}`
    return `<li><code>${one.id}</code> <small>${state}${reason}</small></li>`
  }
  const row = (text: string, html: string): string => `<div><dt>${text}</dt><dd>${html}</dd></div>`
  return `<article class="card" id="${id}"><h3><a href="${escaped(url)}">${escaped(name)}</a></h3><p class="tags"><code>${id}</code> ${useTag(commercial_use, language)}</p>
<dl class="facts">${row(words.licence, `<a href="${escaped(licence_url)}">${escaped(licence)}</a>`)}${row(words.attribution, escaped(attribution))}${row(words.datasets, listed)}${feeds.length === 0 ? '' : row(words.feeds, `<ul>${feeds.map(feed).join('')}</ul>`)}</dl></article>`
}
