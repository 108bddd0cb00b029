import { expect, test } from 'vitest'
import { missingForLogind } from './requirements.ts'

test.skipIf(process.platform !== 'linux')('what lacks is named with the package that has it', async () => {
  const missing = await missingForLogind({ PATH: '' })
  expect(missing).toContain('busctl (package systemd)')
  expect(missing).toContain('dbus-daemon (package dbus)')
})
