import { expect, test } from 'vitest'
import { blockedCondition, evacuationOf, maintenanceOf, nodeOf, podOf } from '../../../test/build/why-view.ts'
import { explain } from './explain.ts'
import type { WhyView } from './report.ts'

const nowMs = Date.parse('2026-08-01T12:00:00Z')
const view: WhyView = { about: 'node', node: nodeOf(), pods: [], evacuations: [], maintenances: [] }
const blocked = evacuationOf({ conditions: [blockedCondition('Busy', '')] })
const pod = podOf()
const otherPod = podOf({ name: 'other', uid: 'uid-1' })

test('of a node that nobody drains only pods that somebody wants gone are told', () => {
  const report = explain({ ...view, pods: [pod, otherPod], evacuations: [blocked] }, nowMs)
  expect(report.pods.map(({ name, phase }) => [name, phase])).toEqual([['web-0', 'Blocked']])
  expect(report.node?.message).toBe('no maintenance drains six; pods leave it because others asked for it')
})

test('an Evacuation of another pod of the same name is not that of this one', () => {
  const report = explain({ ...view, pods: [podOf({ uid: 'uid-2' })], evacuations: [blocked] }, nowMs)
  expect(report.pods).toEqual([])
})

test('whoever asks about a pod gets an answer, and hears of its node only where that matters', () => {
  const asked: WhyView = { ...view, about: 'pod', pods: [otherPod] }
  expect(explain(asked, nowMs)).toMatchObject({ about: 'pod', pods: [{ name: 'other', phase: 'Unaffected' }] })
  expect(explain(asked, nowMs).node).toBeUndefined()
  expect(explain({ ...asked, maintenances: [maintenanceOf()] }, nowMs).node?.name).toBe('six')
})

test('who wants a pod gone is named as they call themselves', () => {
  const [report] = explain({ ...view, pods: [pod], evacuations: [blocked] }, nowMs).pods
  expect(report?.askedForBy).toEqual(['nodemaintenance.k8s.io'])
})

test('what is left of a pod that is gone is told to whoever asks about it', () => {
  const report = explain({ ...view, about: 'pod', node: undefined, evacuations: [blocked] }, nowMs)
  expect(report.pods.map(({ name, phase }) => [name, phase])).toEqual([['web-0', 'Gone']])
})

test('those who need somebody come first, of these who waited longest', () => {
  const named = (name: string, at: number, extra = {}) => podOf({ name, uid: `uid-${at}`, ...extra })
  const evacuationFor = (name: string, uid: string, since: string) => {
    const { metadata, spec, status } = blocked
    const conditions = [{ ...blockedCondition('Busy', ''), lastTransitionTime: since }]
    return {
      metadata: { ...metadata, name: `${uid}-${name}` },
      spec: { ...spec, podRef: { name, uid } },
      status: { ...status, ...evacuationOf().status, conditions } as NonNullable<typeof status>,
    }
  }
  const pods = [
    named('pending', 1),
    named('late', 2),
    named('early', 3),
    named('ending', 4, { deletionTimestamp: '2026-08-01T12:00:10Z', deletionGracePeriodSeconds: 30 }),
  ]
  const evacuations = [
    evacuationFor('late', 'uid-2', '2026-08-01T11:30:00Z'),
    evacuationFor('early', 'uid-3', '2026-08-01T11:00:00Z'),
  ]
  const report = explain({ ...view, pods, evacuations, maintenances: [maintenanceOf()] }, nowMs)
  expect(report.pods.map(({ name }) => name)).toEqual(['early', 'late', 'ending', 'pending'])
})
