import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import { rebooted, shutdownCancelled, shutdownHeld, shutdownLetGo, shutdownNameTaken } from './events.ts'

const going = { id: 'a', phase: 'Signalled', action: 'reboot' } as const
const name = 'shutdown-six'

test.each([
  {
    event: shutdownHeld(going, name),
    type: 'Normal',
    reason: 'ShutdownHeld',
    note: 'The reboot waits until shutdown-six has drained the node',
  },
  {
    event: shutdownLetGo(going, 'drained', name),
    type: 'Normal',
    reason: 'ShutdownLetGo',
    note: 'The reboot may continue: the node is drained',
  },
  {
    event: shutdownLetGo({ ...going, action: '' }, 'ended', name),
    type: 'Normal',
    reason: 'ShutdownLetGo',
    note: 'The shutdown may continue: shutdown-six was ended before the node was drained',
  },
  {
    event: shutdownLetGo(going, 'gateOff', name),
    type: 'Normal',
    reason: 'ShutdownLetGo',
    note: 'The reboot may continue: the feature gate of maintenances is off',
  },
  {
    event: shutdownCancelled(name),
    type: 'Normal',
    reason: 'ShutdownCancelled',
    note: 'The machine does not go down any more; shutdown-six is completed',
  },
  {
    event: rebooted(name),
    type: 'Normal',
    reason: 'ShutdownOver',
    note: 'The machine is back and the node Ready; shutdown-six is completed',
  },
  {
    event: shutdownNameTaken(going, name),
    type: 'Warning',
    reason: 'ShutdownNotDrained',
    note: 'Nothing drains the node before its reboot: NodeMaintenance shutdown-six was not made by Lifeboat; delete it, and the drain begins',
  },
])('$reason: $note', ({ event, type, reason, note }) => {
  const about = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'six', uid: 'n' } }
  expect(event(stored({ metadata: { name: 'six', uid: 'n' } }))).toEqual({ about, type, reason, note })
})
