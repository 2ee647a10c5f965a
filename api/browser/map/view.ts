import { type GeoJSONSource, Map as MapView } from 'maplibre-gl'

/** The longest time in which frames wait for the tiles of new lists, in ms. */
const TOGETHER_MS = 300
/** The longest wait for a frame, in ms: a page that nobody sees has none. */
const DRAWN_MS = 1000

/** A map that draws a new list once, with all its tiles: each frame before costs as much, and shows a list that is half old. */
export class WholeMap extends MapView {
  /** Lists on their way, and the instant of `performance.now` until which frames wait for them. */
  private waiting = 0
  private heldUntil = 0

  override triggerRepaint(): void {
    if (!(performance.now() < this.heldUntil) || this.isMoving()) super.triggerRepaint()
  }

  /** Lets frames go on: all lists are there, their time is over, or a person moves the map. */
  release(): void {
    this.heldUntil = 0
    this.triggerRepaint()
  }

  /** Replaces the features of a source, and returns when they are drawn, or could have been. */
  async drawWhole(id: string, data: GeoJSON.FeatureCollection): Promise<void> {
    // Lists that follow at once share the wait of the first.
    if (this.waiting++ === 0) {
      this.heldUntil = performance.now() + TOGETHER_MS
      setTimeout(() => this.release(), TOGETHER_MS)
    }
    try {
      await this.getSource<GeoJSONSource>(id)?.setData(data)
      await this.until('sourcedata', id, TOGETHER_MS)
    } finally {
      this.waiting--
    }
    const drawn = this.until('render', id, DRAWN_MS)
    if (this.waiting === 0) this.release()
    await drawn
  }

  /** Waits for an event after which all tiles of a source are there, not longer than a time in ms. */
  private until(event: 'render' | 'sourcedata', id: string, most_ms: number): Promise<void> {
    return new Promise((resolve) => {
      const isThere = (): boolean => !this.getSource(id) || this.isSourceLoaded(id)
      const look = (): void => (isThere() ? end() : undefined)
      const end = (): void => {
        this.off(event, look)
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(end, most_ms)
      this.on(event, look)
      if (event === 'sourcedata') look()
    })
  }
}
