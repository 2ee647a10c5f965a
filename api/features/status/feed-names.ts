import type { FeedListing } from '../../../lake/live/freshness.ts'
import type { SystemView } from '../../kernel/endpoint.ts'
import type { Language, LocalText } from '../../kernel/language.ts'
import { DATASETS_ES } from '../cards/datasets-es.ts'

/** Datasets that a name lists; a feed fills rarely more. */
const NAMED = 2

/** Names a feed by the public datasets that it fills; by its id if there are none. */
export function feedName(
  { id, datasets: filled }: Pick<FeedListing, 'id' | 'datasets'>,
  { datasets }: Pick<SystemView, 'datasets'>,
): LocalText {
  const titles = filled.flatMap((name) => {
    const dataset = datasets.find((one) => one.id === name)
    return dataset ? [{ en: dataset.title, es: DATASETS_ES[name]?.[0] ?? dataset.title }] : []
  })
  const joined = (language: Language): string => {
    const shown = titles.slice(0, NAMED).map((title) => title[language])
    return shown.length === 0 ? id : `${shown.join(', ')}${titles.length > NAMED ? ', …' : ''}`
  }
  return { es: joined('es'), en: joined('en') }
}

/** Returns the publisher of a feed's source; null if no public dataset names it. */
export function publisherOf({ source }: Pick<FeedListing, 'source'>, { datasets }: Pick<SystemView, 'datasets'>): string | null {
  return datasets.flatMap(({ sources }) => sources).find((one) => one.id === source)?.publisher ?? null
}
