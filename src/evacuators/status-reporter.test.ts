import { buildFollowed } from '../../test/build/followed.ts'
import { expect, test } from 'vitest'
import { EvacuatorGround } from '../../test/build/evacuator-ground.ts'
import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import { EvacuationWriter } from '../evacuation-client/evacuation-writer.ts'
import type { Report } from './report.ts'
import { writeReport, type ReportRequest } from './status-reporter.ts'

const ours = 'ours.example.com'
const report: Report = { message: 'moving', progress: true, completed: false, cancellation: 'Forbid' }

async function setUp() {
  const ground = new EvacuatorGround()
  const pod = await ground.evacuate('vm', { registrations: [{ evacuatorClass: ours, priority: 1 }] })
  const cached = await ground.evacuation(pod)
  const writer = new EvacuationWriter(
    ground.kube,
    buildFollowed(() => cached),
  )
  const request: ReportRequest = {
    key: { namespace: pod.namespace, name: evacuationName(pod) },
    report,
    history: {},
    progressDeadlineSeconds: 1_800,
    mayReport: () => true,
    signal: new AbortController().signal,
  }
  return { ground, pod, request, parts: { writer, clock: ground.clock } }
}

test('a report that is due is one patch, and becomes history', async () => {
  const { ground, pod, request, parts } = await setUp()
  const outcome = await writeReport(parts, request)
  expect(outcome).toEqual({ kind: 'written', history: { report, writtenAtMs: 0, progressAtMs: 0 } })
  expect(await ground.status(pod)).toMatchObject({ message: 'moving', evacuationCancellationPolicy: 'Forbid' })
  expect(ground.requests).toHaveLength(1)
})

test('what was said about cancellation stays in the history of a report that says nothing about it', async () => {
  const { request, parts } = await setUp()
  const { cancellation: _said, ...silent } = report
  const history = { report, writtenAtMs: -20_000 }
  const outcome = await writeReport(parts, { ...request, history, report: { ...silent, message: 'x' } })
  expect(outcome).toMatchObject({ kind: 'written', history: { report: { message: 'x', cancellation: 'Forbid' } } })
})

test('a report that is not due waits', async () => {
  const { ground, request, parts } = await setUp()
  const history = { report, writtenAtMs: 0, progressAtMs: 0 }
  expect(await writeReport(parts, { ...request, history })).toEqual({ kind: 'later', delayMs: 180_000 })
  expect(ground.requests).toEqual([])
})

test('a report that nobody may write is dropped', async () => {
  const { ground, request, parts } = await setUp()
  expect(await writeReport(parts, { ...request, mayReport: () => false })).toEqual({ kind: 'notOurs' })
  expect(ground.requests).toEqual([])
})

test('a report about an Evacuation that is gone is dropped', async () => {
  const { ground, pod, request, parts } = await setUp()
  await ground.cancel(pod)
  expect(await writeReport(parts, request)).toEqual({ kind: 'notOurs' })
})
