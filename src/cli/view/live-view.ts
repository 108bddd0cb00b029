import { createLogUpdate } from 'log-update'
import type { Clock } from '../../runtime/clock.ts'
import type { Terminal } from '../terminal.ts'
import type { DrainPicture } from './drain-picture.ts'
import { lineEveryMs, nothingSaid, plainLines } from './plain-lines.ts'
import { renderPicture, type PictureSize } from './render-picture.ts'

/** Something that changes while somebody looks: whole, to be drawn in place, or as lines of what is new. */
export interface LiveScene {
  frame(size: PictureSize, nowMs: number): readonly string[]
  newLines(nowMs: number): readonly string[]
}

/** The scene of one drain. */
export function drainScene(picture: (nowMs: number) => DrainPicture, hint?: string): LiveScene {
  let memory = nothingSaid
  return {
    frame: (size, nowMs) => {
      const current = picture(nowMs)
      const isOver = current.isDrained || current.isCompleted
      return renderPicture(current, { ...size, ...(hint === undefined || isOver ? {} : { hint }) })
    },
    newLines: (nowMs) => {
      const said = plainLines(picture(nowMs), memory, nowMs)
      memory = said.memory
      return said.lines
    },
  }
}

/** Faster than anybody reads. */
const drawEveryMs = 100
/** Times go on when nothing else does. */
const tickMs = lineEveryMs

/**
 * Shows a scene until it is disposed. On a terminal it is drawn in place, a few times a second at most; elsewhere there
 * are lines for what changed. The last state stays to be read.
 */
export class LiveView implements Disposable {
  readonly #terminal: Terminal
  readonly #clock: Clock
  readonly #scene: LiveScene
  readonly #draw: (text: string) => void
  readonly #leave: () => void
  #timer: Disposable | undefined
  #lastMs = Number.NEGATIVE_INFINITY
  #isDue = false

  constructor(options: { readonly terminal: Terminal; readonly clock: Clock; readonly scene: LiveScene }) {
    this.#terminal = options.terminal
    this.#clock = options.clock
    this.#scene = options.scene
    const { draw, leave } = drawnOn(options.terminal)
    this.#draw = draw
    this.#leave = leave
    this.#show()
  }

  /** Something is different from what is shown. */
  changed(): void {
    if (this.#isDue) return
    this.#isDue = true
    const waitMs = Math.max(0, this.#lastMs + drawEveryMs - this.#clock.monotonicMs())
    this.#wake(waitMs)
  }

  [Symbol.dispose](): void {
    this.#show()
    this.#timer?.[Symbol.dispose]()
    this.#leave()
  }

  #show(): void {
    this.#isDue = false
    this.#lastMs = this.#clock.monotonicMs()
    const { isTerminal, color } = this.#terminal
    const nowMs = this.#clock.nowMs()
    if (isTerminal) {
      // A line below the last belongs to the cursor.
      const size = { columns: this.#terminal.columns(), rows: this.#terminal.rows() - 1, color }
      this.#draw(this.#scene.frame(size, nowMs).join('\n'))
    } else {
      for (const line of this.#scene.newLines(nowMs)) this.#terminal.write(`${line}\n`)
    }
    this.#wake(tickMs)
  }

  #wake(delayMs: number): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = this.#clock.timer(delayMs, () => this.#show())
  }
}

function drawnOn(terminal: Terminal): { draw(text: string): void; leave(): void } {
  if (!terminal.isTerminal) return { draw: () => {}, leave: () => {} }
  // All that log-update uses of a stream. The cursor stays: whoever is killed could not bring it back.
  const stream = {
    isTTY: true,
    get columns() {
      return terminal.columns()
    },
    get rows() {
      return terminal.rows()
    },
    write: (text: string) => {
      terminal.write(text)
      return true
    },
  } as unknown as NodeJS.WriteStream
  const update = createLogUpdate(stream, { showCursor: true })
  return { draw: (text) => update(text), leave: () => update.done() }
}
