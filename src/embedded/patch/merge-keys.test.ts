import { expect, test } from 'vitest'
import * as mergeKeys from './merge-keys.ts'

test.each([
  ['podMergeKeys', 'spec.containers.env', 'name'],
  ['podMergeKeys', 'spec.initContainers.ports', 'containerPort'],
  ['podMergeKeys', 'spec.containers.volumeMounts', 'mountPath'],
  ['podMergeKeys', 'status.conditions', 'type'],
  ['podMergeKeys', 'spec.tolerations', undefined],
  ['podMergeKeys', 'status.containerStatuses', undefined],
  ['workloadMergeKeys', 'spec.template.spec.volumes', 'name'],
  ['workloadMergeKeys', 'spec.template.metadata.finalizers', ''],
  ['nodeMergeKeys', 'spec.taints', undefined],
  ['nodeMergeKeys', 'status.addresses', 'type'],
  ['serviceMergeKeys', 'spec.ports', 'port'],
  ['plainMergeKeys', 'metadata.ownerReferences', 'uid'],
  ['podDisruptionBudgetMergeKeys', 'spec.selector', '$replace'],
] as const)('%s: %s merges by %s', (table, path, key) => {
  expect(mergeKeys[table][path]).toBe(key)
})
