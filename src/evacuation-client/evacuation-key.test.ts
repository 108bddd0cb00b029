import { expect, test } from 'vitest'
import { stored } from '../../test/build/stored.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { evacuationIdOf, evacuationKeyOf } from './evacuation-key.ts'

const uid = '9e4c9a2e-8d6a-4c4b-9b3a-0d1f5c0d7e11'

test('the Evacuation of a pod is in its namespace, under its UID and its name', () => {
  const pod = { namespace: 'shop', name: 'cart-7', uid }
  expect(evacuationKeyOf(pod)).toEqual({ namespace: 'shop', name: `${uid}-cart-7` })
  expect(evacuationIdOf(stored<Pod>({ metadata: pod }))).toBe(`shop/${uid}-cart-7`)
})
