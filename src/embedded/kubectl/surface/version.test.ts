import { expect, test } from 'vitest'
import { serverVersion } from './version.ts'

test('the version is one that clients can compare', () => {
  expect(serverVersion).toMatchObject({ gitVersion: expect.stringMatching(/^v1\.37\.\d+\+[a-z]+$/), major: '1' })
})
