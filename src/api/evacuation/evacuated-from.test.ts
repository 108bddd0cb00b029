import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Evacuation } from './evacuation.ts'
import type { Pod } from '../kubernetes/core.ts'
import { nodeOfEvacuation, noteOfNode } from './evacuated-from.ts'

const podOn = (nodeName?: string): Pod =>
  stored({
    metadata: { name: 'web-1', namespace: 'shop' },
    spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
  })

test.each([
  { name: 'a pod on a node', nodeName: 'node-1', expected: 'node-1' },
  { name: 'a pod that is on none yet', expected: undefined },
])('$name is found again from its Evacuation', ({ nodeName, expected }) => {
  const evacuation = { metadata: { annotations: noteOfNode(podOn(nodeName)) } } as unknown as Evacuation
  expect(nodeOfEvacuation(evacuation)).toBe(expected)
})
