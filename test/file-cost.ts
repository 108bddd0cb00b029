import { afterAll } from 'vitest'

// Notes how much of a file's time its worker computed: the rest of it was waiting.

declare module 'vitest' {
  export interface TaskMeta {
    cpuMs?: number
  }
}

const before = process.cpuUsage()
// oxlint-disable-next-line no-empty-pattern -- vitest accepts nothing else in the first place
afterAll(({}, file) => {
  const { user, system } = process.cpuUsage(before)
  file.meta.cpuMs = (user + system) / 1_000
})
