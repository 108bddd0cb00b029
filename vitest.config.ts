import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './test/run/slow-first.ts'

const common = {
  // The examples import the package by its name, as their readers will; here that is the source, not the build.
  execArgv: ['--conditions=lifeboat-source'],
  // Node reads TypeScript by itself, and code that no tool has rewritten runs faster.
  experimental: { viteModuleRunner: false, nodeLoader: false },
}

/** One more than there are cores: some files wait for programs and timers. Left to itself vitest keeps a core back. */
const maxWorkers = availableParallelism() + 1
/** Far more than any of them needs: how busy the machine is must not decide whether a test passes. */
const testTimeout = 60_000

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['{src,bench,scripts,test/cluster,test/run}/**/*.test.ts', 'test/*.test.ts'],
          exclude: ['test/tidy.test.ts'],
          isolate: false,
          maxWorkers,
          testTimeout,
          setupFiles: ['test/seed-properties.ts', 'test/file-cost.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'stories',
          include: ['test/stories/**/*.test.ts'],
          isolate: false,
          maxWorkers,
          testTimeout,
          provide: { ground: 'embedded' },
          setupFiles: ['test/file-cost.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'tidy',
          include: ['test/tidy.test.ts'],
          maxWorkers,
          testTimeout,
          setupFiles: ['test/file-cost.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'real',
          isolate: false,
          include: ['test/{real,stories}/**/*.test.ts'],
          provide: { ground: 'real' },
          globalSetup: ['test/real/shared-clusters.ts'],
          setupFiles: ['test/file-cost.ts', 'test/real/keep-logs.ts'],
          // Files wait far more than they compute. Each worker has a cluster of its own, which takes some 1 GB of memory.
          maxWorkers: 5,
          maxConcurrency: 10,
          sequence: { groupOrder: 1 },
          // As patient as stories are: how busy the machine is must not decide.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // One call of kubectl takes a second on a busy machine.
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
})
