import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newPepperText, parsePeppers } from '../../../../api/auth/keys/pepper.ts'
import { sendOnce } from '../../../../api/features/webhooks/send.ts'
import { newSecret } from '../../../../api/features/webhooks/subscriptions.ts'
import { skipWithout } from '../../../helpers/missing.ts'
import { startReceiver } from '../../../helpers/receiver.ts'
import { tempFolder } from '../../../helpers/temp.ts'

const VERSION = '1.0.1'
const VERIFY = `
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
given = json.load(sys.stdin)
for one in given:
    try:
        Webhook(one["secret"]).verify(one["body"], one["headers"])
        print("ok")
    except WebhookVerificationError as error:
        print("refused", error)
`

/** A Python with the verifier; null, with a notice, where it is unavailable. */
function python(): string | null {
  const folder = tempFolder()
  const made = spawnSync('python3', ['-m', 'venv', folder], { encoding: 'utf8' })
  const bin = join(folder, 'bin', 'python')
  if (made.status !== 0 || !existsSync(bin)) {
    skipWithout('registry', `there is no Python with venv: ${made.stderr?.slice(0, 200) ?? made.error?.message}`)
    return null
  }
  const installed = spawnSync(bin, ['-m', 'pip', 'install', '--quiet', `standardwebhooks==${VERSION}`], { encoding: 'utf8' })
  if (installed.status === 0) return bin
  skipWithout('registry', `standardwebhooks ${VERSION} of Python cannot be installed: ${installed.stderr.slice(0, 200)}`)
  return null
}

test('the verifier of Standard Webhooks in Python takes our signatures, of both secrets while one is rotated, and no others', async ({
  skip,
}) => {
  const bin = python()
  if (bin === null) return skip()
  const receiver = await startReceiver()
  const peppers = parsePeppers(newPepperText())
  const [first, second, other] = ['1', '2', '3'].map((seed) => newSecret(peppers, 'wh_1', seed)) as [string, string, string]
  const secrets = [first, second]
  const body = JSON.stringify({ type: 'incident.created', data: { description: 'Retención en la A-7, km 12 «Águilas»' } })
  await sendOnce({ url: receiver.url, id: 'evt_1', body, secrets }, { loopback: true, clock: Date.now })
  await receiver.close()
  const [message] = receiver.received
  const headers = Object.fromEntries(Object.entries(message?.headers ?? {}).filter(([name]) => name.startsWith('webhook-')))
  const cases = [
    ...secrets.map((secret) => ({ secret, body: message?.body, headers })),
    { secret: other, body: message?.body, headers },
    { secret: first, body: `${message?.body} `, headers },
  ]
  const { stdout, stderr } = spawnSync(bin, ['-c', VERIFY], { input: JSON.stringify(cases), encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(['ok', 'ok', 'refused', 'refused'])
}, 120_000)
