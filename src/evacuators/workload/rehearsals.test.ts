import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { configMaps } from '../../api/kubernetes/resources.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { Rehearsals } from './rehearsals.ts'

test('an answer counts for ten seconds and for one evacuation, and nothing is stored', async () => {
  const { clock, transport } = buildServer()
  let sent = 0
  const counted: Transport = {
    request: (request) => {
      if (request.method === 'POST') sent++
      return transport.request(request)
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }
  const kube = buildKube(counted, clock)
  const rehearsals = new Rehearsals({ kube, clock })
  const map = { metadata: { namespace: 'shop', generateName: 'a-' } }
  const ask = (id: string) => rehearsals.create(id, configMaps, map, new AbortController().signal)
  expect(await ask('one')).toMatchObject({ kind: 'admitted', object: { metadata: { generateName: 'a-' } } })
  await clock.advance(9_999)
  await ask('one')
  expect(sent).toBe(1)
  await ask('two')
  expect(sent).toBe(2)
  await clock.advance(1)
  await ask('one')
  expect(sent).toBe(3)
  rehearsals.forget('one')
  await ask('one')
  expect(sent).toBe(4)
  expect((await kube.list(configMaps, { namespace: 'shop' })).items).toEqual([])
})
