import { expect, test } from 'vitest'
import type { MergeKeys } from '../definition.ts'
import {
  nodeMergeKeys,
  plainMergeKeys,
  podDisruptionBudgetMergeKeys,
  podMergeKeys,
  serviceMergeKeys,
  workloadMergeKeys,
} from './merge-keys.ts'

test.each<[string, MergeKeys, string, string | undefined]>([
  ['pod', podMergeKeys, 'spec.containers.env', 'name'],
  ['pod', podMergeKeys, 'spec.initContainers.ports', 'containerPort'],
  ['pod', podMergeKeys, 'spec.containers.volumeMounts', 'mountPath'],
  ['pod', podMergeKeys, 'status.conditions', 'type'],
  ['pod', podMergeKeys, 'spec.tolerations', undefined],
  ['pod', podMergeKeys, 'status.containerStatuses', undefined],
  ['workload', workloadMergeKeys, 'spec.template.spec.volumes', 'name'],
  ['workload', workloadMergeKeys, 'spec.template.metadata.finalizers', ''],
  ['node', nodeMergeKeys, 'spec.taints', undefined],
  ['node', nodeMergeKeys, 'status.addresses', 'type'],
  ['service', serviceMergeKeys, 'spec.ports', 'port'],
  ['plain', plainMergeKeys, 'metadata.ownerReferences', 'uid'],
  ['podDisruptionBudget', podDisruptionBudgetMergeKeys, 'spec.selector', '$replace'],
])('%s', (_name, table, path, key) => {
  expect(table[path]).toBe(key)
})
