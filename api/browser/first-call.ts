// Runs on the page of a new key: sends the first call, and shows what our API answers. Without it, the call is copied.

import { key } from './key.ts'

const send = document.querySelector<HTMLButtonElement>('#send')
const reply = document.querySelector('#reply')
/** Most characters of a reply that are shown. */
const SHOWN = 3000

async function call(path: string, own: string): Promise<string> {
  const response = await fetch(path, { headers: { 'X-API-Key': own } })
  const text = JSON.stringify(await response.json(), null, 2)
  return `HTTP ${response.status}\n${text.length > SHOWN ? `${text.slice(0, SHOWN)}\n…` : text}`
}

// The map takes the key of the tab.
document.querySelector('#to-map')?.addEventListener('click', () => key.set(send?.dataset['key'] ?? ''))

if (send && reply) {
  send.hidden = false
  send.addEventListener('click', async () => {
    const block = document.createElement('pre')
    block.tabIndex = 0
    block.textContent = await call(send.dataset['path'] ?? '', send.dataset['key'] ?? '').catch(String)
    reply.replaceChildren(block)
  })
}
