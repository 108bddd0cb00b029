import { expect, test } from 'vitest'
import { buildServer } from '../../../../test/build/embedded-server.ts'
import { Store } from '../store.ts'
import { builtInAdmission } from './built-in-admission.ts'

test('a plugin of a user sees what the built-in ones filled in, and the quota sees what it let through', async () => {
  const seen: unknown[] = []
  const admission = builtInAdmission(new Store(), [{ mutate: ({ object }) => (seen.push(object?.['spec']), object) }])
  const { send } = buildServer({ admission })
  await send('POST', '/api/v1/namespaces/shop/pods', {
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  })
  expect(seen[0]).toMatchObject({ priority: 0, tolerations: { length: 2 } })
})
