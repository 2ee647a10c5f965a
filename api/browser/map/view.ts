import { type GeoJSONSource, Map as MapView } from 'maplibre-gl'

/** The longest time in which a changed source waits for its last tile, in ms: then its tiles are drawn as they come. */
const TOGETHER_MS = 300

/** A map that draws a new list once, with all its tiles: each frame before costs as much, and shows a list that is half old. */
export class WholeMap extends MapView {
  /** How many lists are on their way; the frames of none wait while the map moves. */
  private held = 0

  override triggerRepaint(): void {
    if (!(this.held > 0) || this.isMoving()) super.triggerRepaint()
  }

  /** Replaces the features of a source, and returns when they are drawn. */
  async drawWhole(id: string, data: GeoJSON.FeatureCollection): Promise<void> {
    this.held++
    try {
      await this.getSource<GeoJSONSource>(id)?.setData(data)
      await this.until('sourcedata', id, TOGETHER_MS)
    } finally {
      this.held--
    }
    const drawn = this.until('render', id)
    this.triggerRepaint()
    await drawn
  }

  /** Waits for an event after which all tiles of a source are there, not longer than a time in ms. */
  private until(event: 'render' | 'sourcedata', id: string, most_ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.getSource(id) && !this.isSourceLoaded(id)) return
        end()
      }
      const end = (): void => {
        this.off(event, look)
        clearTimeout(timer)
        resolve()
      }
      const timer = most_ms === undefined ? undefined : setTimeout(end, most_ms)
      this.on(event, look)
      if (event === 'sourcedata') look()
    })
  }
}
