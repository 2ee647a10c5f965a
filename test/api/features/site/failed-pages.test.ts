import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from '../../service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

describe('a request that fails', () => {
  const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

  test.each([
    ['/nothing-here', 404, 'es', 'Aquí no hay nada'],
    ['/nothing-here?lang=en', 404, 'en', 'There is nothing here'],
    ['/datasets/none', 404, 'es', 'Aquí no hay nada'],
    ['/plans?lnag=es', 400, 'es', 'La ruta no tiene ese parámetro'],
  ])('says so to a person: %s', async (path, status, language, title) => {
    const response = await service.get(path, BROWSER)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-language')).toBe(language)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('vary')).toContain('Accept')
    const html = await response.text()
    expect(html).toContain(`<h1>${title}</h1>`)
    // What the error's advice speaks of.
    expect(html).toContain(`<code>${response.headers.get('x-request-id')}</code>`)
    expect(html).toMatch(/<p lang="en">[^<]{10,}/)
    for (const [, link = ''] of html.matchAll(/<li><a href="([^"]+)"/g)) expect((await service.get(link)).status, link).toBe(200)
  })

  test.each([
    ['/nothing-here', {}],
    ['/nothing-here', { Accept: '*/*' }],
    ['/nothing-here', { Accept: 'application/json, text/html;q=0.5' }],
    ['/api/nothing-here', BROWSER],
    ['/schemas/nothing', BROWSER],
    ['/openapi.yaml', BROWSER],
  ])('is a problem for programs and in the API: %s, %j', async (path, headers) => {
    const response = await service.get(path, headers as Record<string, string>)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status: 404, code: 'not-found' })
  })
})
