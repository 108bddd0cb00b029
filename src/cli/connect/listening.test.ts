import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { InstallationError } from '../../manager/install/apply.ts'
import { listenAt } from '../../runtime/listen.ts'
import { listening } from './listening.ts'

// Set aside for documentation, by RFC 5737 and RFC 3849: no machine has them.
test.each([
  { host: '192.0.2.1', shown: '192.0.2.1:0' },
  { host: '2001:db8::1', shown: '[2001:db8::1]:0' },
])('an address that this machine does not have is told with its flag: $shown', async ({ host, shown }) => {
  const address = { host, port: 0 }
  const opening = listening('--listen', address, listenAt(createServer(), address))
  await expect(opening).rejects.toThrow(`--listen: cannot listen at ${shown}: listen E`)
  await expect(opening).rejects.toBeInstanceOf(InstallationError)
})

test('what listens is handed on, and what fails for another reason stays as it is', async () => {
  const address = { host: '::', port: 0 }
  expect(await listening('--listen', address, Promise.resolve(8081))).toBe(8081)
  const broken = new Error('the certificate is none')
  await expect(listening('--listen', address, Promise.reject(broken))).rejects.toBe(broken)
})
