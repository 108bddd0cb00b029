import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,bench,scripts,test/cluster}/**/*.test.ts', 'test/*.test.ts'],
          exclude: ['test/tidy.test.ts'],
          isolate: false,
          setupFiles: ['test/seed-properties.ts'],
        },
      },
      { test: { name: 'tidy', include: ['test/tidy.test.ts'] } },
      {
        test: {
          name: 'real',
          include: ['test/{real,differential}/**/*.test.ts'],
          globalSetup: ['test/real/shared-cluster.ts'],
          // One cluster at a time: the files share it, or start their own, one after the other.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
