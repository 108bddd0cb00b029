import { expect, test } from 'vitest'
import { stored } from '../../test/build/stored.ts'
import type { Node } from '../api/kubernetes/core.ts'
import * as tell from './events.ts'

const node = stored<Node>({ metadata: { name: 'node-1', uid: 'n' } })
const count = { taint: 'node.kubernetes.io/unreachable', since: '2026-01-01T00:00:00Z' } as const
const about = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1', uid: 'n' } }

test.each([
  { pods: 1, words: '1 pod under' },
  { pods: 3, words: '3 pods under' },
])('is told on the node: $words ControllerTakeOver', ({ pods, words }) => {
  expect(tell.controllersAsked(node, pods, count)).toEqual({
    about,
    type: 'Normal',
    reason: 'ControllersAsked',
    note: `Taint node.kubernetes.io/unreachable since 2026-01-01T00:00:00Z: asked for the evacuation of ${words} ControllerTakeOver`,
  })
})

test('a refusal is told with its reason', () => {
  expect(tell.requestRefused(node, 'shop/web-1', 'no')).toEqual({
    about,
    type: 'Warning',
    reason: 'EvacuationRefused',
    note: 'Cannot ask for the evacuation of pod shop/web-1: no',
  })
})
