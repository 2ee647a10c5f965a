import { feeds as air } from './air/index.ts'
import { feeds as aviation } from './aviation/index.ts'
import type { Feed } from './define.ts'
import { feeds as fuel } from './fuel/index.ts'
import { feeds as maritime } from './maritime/index.ts'
import { feeds as mobility } from './mobility/index.ts'
import { feeds as rail } from './rail/index.ts'
import { feeds as road } from './road/index.ts'
import { feeds as safety } from './safety/index.ts'
import { feeds as weather } from './weather/index.ts'

/** Every feed of the service, by domain. */
export const feeds: readonly Feed[] = Object.freeze([
  ...road,
  ...fuel,
  ...mobility,
  ...rail,
  ...maritime,
  ...safety,
  ...weather,
  ...air,
  ...aviation,
])

/** The feed of an id; throws for an id the catalogue lacks. */
export function feedById(id: string): Feed {
  const found = feeds.find((feed) => feed.id === id)
  if (!found) throw new Error(`no feed ${id}; there are ${feeds.map((feed) => feed.id).join(', ')}`)
  return found
}
