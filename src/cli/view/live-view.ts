import { createLogUpdate } from 'log-update'
import type { Clock } from '../../runtime/clock.ts'
import type { Terminal } from '../output/terminal.ts'
import type { DrainPicture } from './drain-picture.ts'
import { lineEveryMs, nothingSaid, plainLines } from './plain-lines.ts'
import { renderPicture, type PictureSize } from './render-picture.ts'

/** Something that changes while the user looks: whole, to be drawn in place, or as lines of what is new. */
export interface LiveScene {
  frame(size: PictureSize, nowMs: number): readonly string[]
  newLines(nowMs: number): readonly string[]
}

/** The scene of one drain. The hint is a last line for people, while the drain continues. */
export function drainScene(
  picture: (nowMs: number) => DrainPicture,
  hint?: string | ((picture: DrainPicture) => string),
): LiveScene {
  let memory = nothingSaid
  return {
    frame: (size, nowMs) => {
      const current = picture(nowMs)
      const isOver = current.isDrained || current.isCompleted
      if (hint === undefined || isOver) return renderPicture(current, size)
      return renderPicture(current, { ...size, hint: typeof hint === 'string' ? hint : hint(current) })
    },
    newLines: (nowMs) => {
      const said = plainLines(picture(nowMs), memory, nowMs)
      memory = said.memory
      return said.lines
    },
  }
}

/** Faster than a user reads. */
const drawEveryMs = 100
/** A drain of thousands of nodes takes long to draw: it is drawn less often then. */
const shareOfTime = 10
/** Times change when nothing else does. */
const tickMs = lineEveryMs

/**
 * Shows a scene until it is disposed. On a terminal it is drawn in place, a few times a second at most; elsewhere there
 * are lines for what changed. The last state stays to be read.
 */
export class LiveView implements Disposable {
  readonly #terminal: Terminal
  readonly #clock: Clock
  readonly #scene: LiveScene
  readonly #canvas: Canvas
  #timer: Disposable | undefined
  /** Not before. */
  #nextMs = Number.NEGATIVE_INFINITY

  constructor(options: { readonly terminal: Terminal; readonly clock: Clock; readonly scene: LiveScene }) {
    this.#terminal = options.terminal
    this.#clock = options.clock
    this.#scene = options.scene
    this.#canvas = canvasOn(options.terminal)
    this.#show()
  }

  /** Something is different from what is shown. */
  changed(): void {
    this.#wake(Math.max(0, this.#nextMs - this.#clock.monotonicMs()))
  }

  [Symbol.dispose](): void {
    this.#show()
    this.#timer?.[Symbol.dispose]()
    this.#canvas.leave()
  }

  #show(): void {
    const startedMs = this.#clock.monotonicMs()
    const { isTerminal, color } = this.#terminal
    const nowMs = this.#clock.nowMs()
    if (isTerminal) {
      // A line below the last belongs to the cursor.
      const size = { columns: this.#terminal.columns(), rows: this.#terminal.rows() - 1, color }
      this.#canvas.draw(this.#scene.frame(size, nowMs).join('\n'))
    } else {
      for (const line of this.#scene.newLines(nowMs)) this.#terminal.write(`${line}\n`)
    }
    const tookMs = this.#clock.monotonicMs() - startedMs
    this.#nextMs = startedMs + Math.max(drawEveryMs, tookMs * shareOfTime)
    this.#wake(Math.max(tickMs, this.#nextMs - this.#clock.monotonicMs()))
  }

  #wake(delayMs: number): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = this.#clock.timer(delayMs, () => this.#show())
  }
}

const eraseLine = '\r\u001B[K'

/** A place where the next drawing takes that of the last. */
interface Canvas {
  draw(text: string): void
  /** What is drawn stays. */
  leave(): void
}

function canvasOn(terminal: Terminal): Canvas {
  if (!terminal.isTerminal) return { draw: () => {}, leave: () => {} }
  // All that log-update uses of a stream. The cursor stays: a process that is killed could not bring it back.
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
  const leave = () => {
    update.done()
    // The terminal shows a ^C where the cursor is.
    terminal.write(eraseLine)
  }
  return { draw: (text) => update(text), leave }
}
