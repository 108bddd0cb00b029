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
import { evacuationType } from '../../api/evacuation/evacuation.ts'
import { annotations, labels } from '../../api/names.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { decideCancel } from './decide-cancel.ts'

const released = buildAppPod('a', { releasedAgo: 30 })
const owner = { ...evacuationType, name: 'e', uid: 'evacuation', controller: false }
/** As an older version released it. */
const formerly = { ...released, metadata: { ...released.metadata, ownerReferences: [owner] } }
const orphan = buildAppReplicaSet(1, { metadata: storedMeta({ namespace: 'shop', name: `web-${hash}`, uid: 'set' }) })
const traces = { labels: { [labels.released]: null }, annotations: { [annotations.releasedFrom]: null } }
const restored = { ...traces, labels: { ...traces.labels, 'pod-template-hash': hash } }

test.each([
  { name: 'a pod that was not released stays', view: buildDeploymentView([buildAppPod('a')]), expected: 'completed' },
  { name: 'a released pod goes back', view: buildDeploymentView([released]), expected: restored },
  {
    name: 'a pod that an older version released goes back, and its Evacuation no longer owns it',
    view: buildDeploymentView([formerly]),
    expected: { ...restored, ownerReferences: [] },
  },
  {
    name: 'a released pod goes back to a ReplicaSet that was left behind',
    view: buildDeploymentView([released], { deployment: undefined, replicaSet: orphan }),
    expected: restored,
  },
  {
    name: 'a released pod whose Deployment is gone is left to the garbage collector',
    view: buildDeploymentView([released], { deployment: undefined, replicaSet: undefined }),
    expected: traces,
  },
  {
    name: 'a released pod whose Deployment is on its way out is left to the garbage collector',
    view: buildDeploymentView([released], { deployment: buildAppDeployment({}, { deletionTimestamp: at(1) }) }),
    expected: traces,
  },
  {
    name: 'a released pod of a revision that is gone is left alone when the Deployment has all its pods',
    view: buildDeploymentView([released, buildAppPod('b')], { replicaSet: undefined }),
    expected: traces,
  },
  {
    name: 'a released pod of a revision that is gone waits until then for somebody who takes it back',
    view: buildDeploymentView([released, buildAppPod('b', { readyFor: false })], { replicaSet: undefined }),
    expected: 'working',
  },
  {
    name: 'a pod that somebody gave its label back keeps no trace',
    view: buildDeploymentView([
      {
        ...released,
        metadata: { ...released.metadata, labels: { 'pod-template-hash': hash }, ownerReferences: [owner] },
      },
    ]),
    expected: { ...traces, ownerReferences: [] },
  },
])('$name', ({ view, expected }) => {
  const step = decideCancel(view, nowMs)
  if (step.kind !== 'write') expect(step.kind).toBe(expected)
  else expect(step.write).toMatchObject({ kind: 'patch', change: { metadata: expected } })
})
