// Runs on the first page: the live map takes the place of the still picture once the page is at rest.

const picture = document.querySelector<HTMLElement>('.spain .still')
const { saveData = false } = (navigator as { readonly connection?: { readonly saveData?: boolean } }).connection ?? {}

/** Loads the map when the picture is seen and nothing else is left to do. */
function whenSeen(seen: HTMLElement): void {
  const observer = new IntersectionObserver(([entry]) => {
    if (!entry?.isIntersecting) return
    observer.disconnect()
    const load = (): void => void import('./home-map.ts').then(({ showLive }) => showLive(seen)).catch(() => undefined)
    if ('requestIdleCallback' in globalThis) requestIdleCallback(load, { timeout: 3000 })
    else setTimeout(load, 500)
  })
  observer.observe(seen)
}

if (picture && !saveData) {
  if (document.readyState === 'complete') whenSeen(picture)
  else addEventListener('load', () => whenSeen(picture), { once: true })
}
