import type { ColumnDefinition } from '../../definition.ts'
import { isMissing } from '../../identity.ts'
import { ageOf } from '../human-duration.ts'
import { column, wideColumn } from './column.ts'

interface Event {
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly firstTimestamp?: string | null
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly count?: number
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string } | null
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string }
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}

const firstSeen = ({ firstTimestamp, eventTime }: Event) => firstTimestamp ?? eventTime ?? undefined
const lastSeen = (event: Event) => event.series?.lastObservedTime ?? event.lastTimestamp ?? firstSeen(event)

/** The name comes last here, and only in wide tables. */
export const eventColumns: readonly ColumnDefinition[] = [
  column<Event>('Last Seen', 'Time since it last happened.', (event, nowMs) => ageOf(lastSeen(event), nowMs)),
  column<Event>('Type', 'Normal or Warning.', ({ type }) => type ?? ''),
  column<Event>('Reason', 'What happened, in one word.', ({ reason }) => reason ?? ''),
  column<Event>('Object', 'To what.', ({ involvedObject: { kind = '', name } = {} }) =>
    isMissing(name) ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`,
  ),
  wideColumn<Event>('Subobject', 'To which part of it.', ({ involvedObject }) => involvedObject?.fieldPath ?? ''),
  wideColumn<Event>('Source', 'Who says so.', ({ source, reportingComponent = '', reportingInstance = '' }) => {
    const component = source?.component ?? reportingComponent
    const host = source?.component === undefined ? reportingInstance : (source.host ?? '')
    return host === '' ? component : `${component}, ${host}`
  }),
  column<Event>('Message', 'What happened.', ({ message }) => (message ?? '').trim()),
  wideColumn<Event>('First Seen', 'Time since it first happened.', (event, nowMs) => ageOf(firstSeen(event), nowMs)),
  wideColumn<Event>('Count', 'How often it happened.', ({ series, count = 0 }) => series?.count ?? Math.max(1, count)),
  column('Name', 'What the event is called.', ({ metadata }) => metadata.name, { format: 'name', priority: 1 }),
]
