import { expect, test } from 'vitest'
import {
  at,
  buildAppDeployment,
  buildAppPod,
  buildAppReplicaSet,
  buildDeploymentView,
  hash,
  nowMs,
} from '../../../test/build/deployment-view.ts'
import { evacuationType } from '../../api/evacuation.ts'
import { annotations } from '../../api/names.ts'
import { decideCancel } from './decide-cancel.ts'

const released = buildAppPod('a', { releasedAgo: 30 })
const owner = { ...evacuationType, name: 'e', uid: 'evacuation', controller: false }
const withOwner = { ...released, metadata: { ...released.metadata, ownerReferences: [owner] } }
const orphan = buildAppReplicaSet(1, { metadata: { name: `web-${hash}`, uid: 'set' } })
const restored = {
  labels: { 'pod-template-hash': hash },
  annotations: { [annotations.releasedFrom]: null },
  ownerReferences: [],
}

test.each([
  { name: 'a pod that was not released stays', view: buildDeploymentView([buildAppPod('a')]), expected: 'completed' },
  { name: 'a released pod goes back', view: buildDeploymentView([withOwner]), expected: restored },
  {
    name: 'a released pod goes back to a ReplicaSet that was left behind',
    view: buildDeploymentView([withOwner], { deployment: undefined, replicaSet: orphan }),
    expected: restored,
  },
  {
    name: 'a released pod whose Deployment is gone goes too',
    view: buildDeploymentView([withOwner], { deployment: undefined, replicaSet: undefined }),
    expected: 'deletePod',
  },
  {
    name: 'a released pod whose Deployment is on its way out goes too',
    view: buildDeploymentView([withOwner], { deployment: buildAppDeployment({}, { deletionTimestamp: at(1) }) }),
    expected: 'deletePod',
  },
  {
    name: 'a released pod of a revision that is gone goes too when the Deployment has all its pods',
    view: buildDeploymentView([withOwner, buildAppPod('b')], { replicaSet: undefined }),
    expected: 'deletePod',
  },
  {
    name: 'a released pod of a revision that is gone stays until then',
    view: buildDeploymentView([withOwner, buildAppPod('b', { readyFor: false })], { replicaSet: undefined }),
    expected: 'working',
  },
  {
    name: 'a pod that somebody gave its label back keeps no trace',
    view: buildDeploymentView([
      {
        ...withOwner,
        metadata: { ...withOwner.metadata, labels: { 'pod-template-hash': hash }, ownerReferences: [owner] },
      },
    ]),
    expected: { annotations: { [annotations.releasedFrom]: null }, ownerReferences: [] },
  },
])('$name', ({ view, expected }) => {
  const step = decideCancel(view, nowMs)
  if (step.kind !== 'write') expect(step.kind).toBe(expected)
  else if (step.write.kind === 'deletePod') expect(step.write.kind).toBe(expected)
  else expect(step.write.change.metadata).toEqual(expected)
})
