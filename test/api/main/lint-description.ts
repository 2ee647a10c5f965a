import { BaseResolver, createConfig, lintDocument, Source } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

/** The rule that compiles every schema of a reply. It takes half of all rules' time, so only a deep test uses it. */
const EXAMPLES_RULE = 'no-invalid-media-type-examples'

/**
 * The findings of Redocly's rules in a description: the recommended ones except for examples of replies, or those of examples.
 * The description is an object: a text would be parsed as YAML, which is slow.
 */
export async function lint(description: object, rules: 'recommended' | 'examples'): Promise<string[]> {
  const config = await createConfig(
    rules === 'examples'
      ? { rules: { [EXAMPLES_RULE]: 'error' } }
      : { extends: ['recommended'], rules: { 'no-server-example.com': 'off', [EXAMPLES_RULE]: 'off' } },
  )
  const document = { source: new Source('/openapi.json', '', 'application/json'), parsed: structuredClone(description) }
  const problems = await lintDocument({ document, externalRefResolver: new BaseResolver(config.resolve), config })
  return problems.map((one) => `${one.severity} ${one.ruleId} ${one.location.map((at) => at.pointer).join()}: ${one.message}`)
}

/** The findings of Spectral's recommended rules for OpenAPI in a description, without the advice to name a contact person. */
export async function lintBySpectral(description: object): Promise<string[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[rulesets.oas as never, 'recommended']], rules: { 'info-contact': 'off' } })
  const found = await linter.run(structuredClone(description) as Record<string, unknown>)
  return found.map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`)
}
