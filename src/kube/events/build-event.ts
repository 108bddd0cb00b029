import type { Event } from '../../api/kubernetes/core.ts'
import type { New } from '../../api/kubernetes/meta.ts'
import type { ClusterEvent, EventSubject } from './cluster-event.ts'

/** Who says it. */
export interface EventReporter {
  /** `lifeboat`, or the controller's name. */
  readonly component: string
  /** Which of its replicas: the pod's or the host's name. */
  readonly instance: string
}

/** What changes when the same thing happens again. */
export interface EventPatch {
  readonly count: number
  readonly lastTimestamp: string
  readonly message: string
}

/** One Event as we know it, and as the server will when it is next written. */
export interface EventState {
  readonly name: string
  readonly subject: EventSubject
  readonly type: ClusterEvent['type']
  readonly reason: string
  readonly firstAtMs: number
  message: string
  lastAtMs: number
  count: number
}

/** The server counts bytes, and refuses more in the newer form of the same object. */
const limits = { messageBytesMax: 1_024, reasonBytesMax: 128, nameLengthMax: 253 }

export function buildEvent(state: EventState, reporter: EventReporter): New<Event> {
  const { apiVersion, kind, metadata } = state.subject
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: state.name, namespace: eventNamespace(state.subject) },
    involvedObject: {
      apiVersion,
      kind,
      name: metadata.name,
      uid: metadata.uid,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
    },
    type: state.type,
    reason: state.reason,
    message: state.message,
    count: state.count,
    firstTimestamp: timestamp(state.firstAtMs),
    lastTimestamp: timestamp(state.lastAtMs),
    source: { component: reporter.component, host: reporter.instance },
    reportingComponent: reporter.component,
    reportingInstance: reporter.instance,
  }
}

export function buildEventPatch(state: EventState): EventPatch {
  return { count: state.count, lastTimestamp: timestamp(state.lastAtMs), message: state.message }
}

/** An Event about something that is in no namespace is kept in `default`; the server accepts no other. */
export function eventNamespace(subject: EventSubject): string {
  return subject.metadata.namespace ?? 'default'
}

/** As upstream names them: the subject, and nanoseconds in hex, of which the last million are drawn by lot. */
export function eventName(subject: EventSubject, nowMs: number, lot: number): string {
  const suffix = (BigInt(Math.floor(nowMs)) * 1_000_000n + BigInt(Math.floor(lot * 1_000_000))).toString(16)
  const prefix = subject.metadata.name.slice(0, limits.nameLengthMax - suffix.length - 1).replace(/[.-]+$/u, '')
  // A ClusterRole may be called `system:node`; an Event may not.
  const allowed = /^[\da-z]([\d.a-z-]*[\da-z])?$/u.test(prefix) && !/\.\.|\.-|-\./u.test(prefix)
  return `${allowed ? prefix : 'event'}.${suffix}`
}

export const cutNote = (note: string): string => cut(note, limits.messageBytesMax)

export const cutReason = (reason: string): string => cut(reason, limits.reasonBytesMax)

function cut(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text
  const ellipsis = '…'
  let bytesLeft = bytesMax - Buffer.byteLength(ellipsis)
  let kept = ''
  for (const character of text) {
    bytesLeft -= Buffer.byteLength(character)
    if (bytesLeft < 0) break
    kept += character
  }
  return kept + ellipsis
}

/** To the second, as the API server keeps it. */
function timestamp(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/u, 'Z')
}
