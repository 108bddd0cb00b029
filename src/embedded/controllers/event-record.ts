import type { ObjectMeta } from '../../api/kubernetes/meta.ts'
import { timestamp } from '../server/identity.ts'
import type { ControllerParts } from './controller.ts'
import { ignoring } from './outcome.ts'

export interface EventSubject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

export interface EventRecord {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly component: string
}

/** Tells people what happened to an object. The same again counts up instead of adding another. */
export async function recordEvent(parts: ControllerParts, about: EventSubject, event: EventRecord): Promise<void> {
  const { store, api, clock } = parts
  const now = timestamp(clock.nowMs())
  const namespace = about.metadata.namespace ?? 'default'
  const name = eventName(about, event)
  const refusals = ['Conflict', 'NotFound', 'Forbidden', 'AlreadyExists']
  const known = store.get('events', `${namespace}/${name}`)
  if (known !== undefined) {
    const count = Number(known['count'] ?? 1) + 1
    await ignoring(refusals, api.mergePatch('events', { namespace, name }, { count, lastTimestamp: now }))
    return
  }
  const { uid, resourceVersion } = about.metadata
  const object = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name: about.metadata.name,
      ...(about.metadata.namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
    },
    type: event.type,
    reason: event.reason,
    message: event.message,
    source: { component: event.component },
    reportingComponent: event.component,
    reportingInstance: '',
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  }
  await ignoring(refusals, api.create('events', object))
}

/** The subject's name and, as the real ones have it, sixteen hex digits: here of what makes two events the same. */
function eventName({ metadata }: EventSubject, { type, reason, message, component }: EventRecord): string {
  const text = [metadata.uid, type, reason, message, component].join('/')
  return `${metadata.name}.${hash(text, 0x811c9dc5)}${hash(text, 0x01234567)}`
}

function hash(text: string, seed: number): string {
  let value = seed
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return (value >>> 0).toString(16).padStart(8, '0')
}
