import { setTimeout as pause } from 'node:timers/promises'

export interface Wanted {
  readonly what: string
  readonly withinMs: number
  readonly everyMs?: number
}

/** Asks until nothing is missing any more; the error of one that waited too long says what still was. */
export async function waitUntil(
  { what, withinMs, everyMs = 250 }: Wanted,
  missing: () => Promise<string | undefined> | string | undefined,
): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  for (;;) {
    const still = await missing()
    if (still === undefined) return
    if (performance.now() > deadlineMs) throw new Error(`waited ${withinMs / 1_000} s until ${what}, in vain: ${still}`)
    await pause(everyMs)
  }
}
