import { defineConfig } from 'vitest/config'

/** The examples import the package by its name, as their readers will; here that is the source, not the build. */
const resolve = { alias: { 'lifeboat/sdk': new URL('src/evacuators/sdk.ts', import.meta.url).pathname } }

export default defineConfig({
  test: {
    projects: [
      {
        resolve,
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
        resolve,
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
