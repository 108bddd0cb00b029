import { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { addController, addRun, withListen } from './process-flags.ts'

test('run and controller take the same settings, and each its own', () => {
  const program = new Command()
  addRun(program, commandWorld())
  addController(program, commandWorld())
  const [run = [], controller = []] = program.commands.map(({ options }) => options.map(({ long }) => long))
  const both = [
    '--feature-gates',
    '--controller-evict-timeout',
    '--shutdown-pod-priorities',
    '--complete-after-reboot',
    '--listen',
    '--webhook-port',
    '--log-level',
    '--verbose',
  ]
  expect(run).toEqual(expect.arrayContaining([...both, '--kubeconfig', '--webhook-url']))
  const ofDescheduler = ['--descheduler-policy', '--descheduling-interval', '--max-evacuation-request-ttl']
  expect(controller).toEqual(expect.arrayContaining([...both, '--service', '--namespace', ...ofDescheduler]))
  // It acts with rights that `lifeboat run` does not install.
  expect(run.filter((flag) => flag !== undefined && ofDescheduler.includes(flag))).toEqual([])
})

test('--listen off is nowhere', () => {
  const program = new Command().option('--listen <address>', '', () => undefined)
  program.parse(['--listen', 'off'], { from: 'user' })
  // As commander has it: an empty text.
  expect(withListen(program.opts<{ listen: undefined }>())).toEqual({ listen: undefined })
  const listen = { host: '127.0.0.1', port: 0 }
  expect(withListen({ listen })).toEqual({ listen })
})
