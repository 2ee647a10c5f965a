import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type AddressLimit, type AddressLimitParts, limitByAddress } from '../../auth/address-limit.ts'
import { perMinute } from '../../auth/limits/policy.ts'
import type { PageTokens } from '../../auth/page-access.ts'
import type { PathGroups } from '../../auth/usage/path-groups.ts'
import { TILE_ZOOMS } from '../../browser/map/base.ts'
import { ownAnswers, type Served } from '../../engine/answers/own-answers.ts'
import type { Feature } from '../../engine/feature.ts'
import { cachedDocument, registerDocument } from '../../engine/replies/documents.ts'
import { queryReader } from '../../engine/request/request.ts'
import type { CachedViews } from '../../engine/state/cached-views.ts'
import type { ServiceState } from '../../engine/state/state.ts'
import { LANGS } from '../../kernel/fields.ts'
import { languageFor, languageOf } from '../../kernel/language.ts'
import { oneOf } from '../../kernel/params/params.ts'
import { problem } from '../../kernel/problems.ts'
import { HTML, MAP_SECURITY } from '../site/html.ts'
import { openBaseMap } from './base-map.ts'
import { mapPage } from './map-page.ts'

/** What the map works with. */
interface MapParts extends AddressLimitParts {
  readonly groups: Pick<PathGroups, 'take'>
  readonly kept: CachedViews
  readonly served: readonly Served[]
  readonly pages: PageTokens
  readonly baseUrl: () => string
  readonly state: Pick<ServiceState, 'mode'>
  readonly clock: () => number
}

/** Limit of the map's page and tiles: a view has some thirty tiles. */
const TILE_LIMIT: AddressLimit = Object.freeze({ name: 'map', policies: [perMinute(3000)], isStated: false })

const readPage = queryReader({ lang: oneOf('Language of texts. By default what Accept-Language prefers, else Spanish.', LANGS) })
const NO_PARAMS = queryReader({})
const TILE = 'application/vnd.mapbox-vector-tile'
/** How long browsers keep a tile, in s: roads and boundaries change a few times a year. */
const TILE_FRESH_S = 86_400

/** The map at `/map`: its page, and the vector tiles of its base map. */
export const mapFeature: Feature<MapParts> = {
  id: 'map',
  register: (app, parts) =>
    void app.register(async (scope) => {
      const { clock, kept, served, pages, state, baseUrl, callerOf } = parts
      limitByAddress(scope, parts, TILE_LIMIT)
      parts.groups.take(scope, 'platform', parts.callerOf)
      const base = openBaseMap({ kept, askApi: ownAnswers(served, clock) })
      scope.addHook('onClose', () => base.close())
      scope.get('/map', { exposeHeadRoute: true }, async ({ raw }, reply) => {
        const { lang } = readPage(raw.url ?? '/')
        const texts = lang ?? languageFor(raw.headers['accept-language'], LANGS)
        // In Spain people who read Catalan, Basque or Galician read Spanish, too; others say in the header what they read.
        const language = lang === null ? languageOf(raw) : lang === 'en' ? 'en' : 'es'
        base.warm()
        const html = mapPage(language, { texts, token: pages.make(callerOf(raw)), mode: state.mode, url: `${baseUrl()}/map` })
        // The page has a token of the caller.
        return reply
          .headers({ ...MAP_SECURITY, 'Content-Type': HTML, 'Content-Language': language, 'Cache-Control': 'no-store' })
          .send(html)
      })
      scope.get('/map/token', { exposeHeadRoute: true }, async ({ raw }, reply) => {
        NO_PARAMS(raw.url ?? '/')
        return reply.headers({ 'Cache-Control': 'no-store' }).send({ token: pages.make(callerOf(raw)) })
      })
      registerDocument(scope, {
        url: '/map/tiles/:z/:x/:y',
        clock,
        find: async (request) => {
          NO_PARAMS(request.raw.url ?? '/')
          const body = (await base.tile(addressOf(request))) ?? Buffer.alloc(0)
          return cachedDocument({
            text: { body, etag: `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"` },
            content_type: TILE,
            fresh_s: TILE_FRESH_S,
          })
        },
      })
    }),
  describe: () => ({ paths: {} }),
}

/** The address of a tile in a path such as `/map/tiles/6/31/24.mvt`. Throws the problem of one outside the grid. */
function addressOf({ params }: FastifyRequest): { readonly z: number; readonly x: number; readonly y: number } {
  const { z, x, y } = params as Readonly<Record<'z' | 'x' | 'y', string>>
  const [zoom, column, row] = [z, x, y.replace(/\.mvt$/, '')].map((text) => (/^\d{1,4}$/.test(text) ? Number(text) : -1)) as [
    number,
    number,
    number,
  ]
  const isInGrid = Math.min(column, row) >= 0 && Math.max(column, row) < 2 ** zoom
  if (y.endsWith('.mvt') && zoom >= TILE_ZOOMS.from && zoom <= TILE_ZOOMS.to && isInGrid) return { z: zoom, x: column, y: row }
  throw problem('not-found', `There is no such tile: /map/tiles/{z}/{x}/{y}.mvt, z from ${TILE_ZOOMS.from} to ${TILE_ZOOMS.to}.`)
}
