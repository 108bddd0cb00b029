import { events } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../client/client.ts'
import type { EventSink } from './event-recorder.ts'

/** Events go to the API server. */
export function eventSinkOf(kube: Kube): EventSink {
  return {
    create: (_namespace, event) => kube.create(events, event),
    patch: (namespace, name, body) => kube.patch(events, { namespace, name }, { type: 'merge', body }),
  }
}
