import { describe, expect, test } from 'vitest'
import type { LogFields } from '../../runtime/log.ts'
import { silentLog } from '../../runtime/log.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import type { TransportResponse } from '../../kube/client/transport.ts'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { KubernetesMetrics } from './kubernetes-metrics.ts'

const nodesPath = '/apis/metrics.k8s.io/v1beta1/nodes'
const podsPath = '/apis/metrics.k8s.io/v1beta1/pods'

class Ground implements AsyncDisposable {
  readonly clock = new VirtualClock()
  readonly api = new FakeApi()
  readonly lines: string[] = []
  turns = 0
  readonly #stop = new AbortController()
  readonly signal = this.#stop.signal
  readonly #note = (_: LogFields, message: string) => void this.lines.push(message)
  readonly metrics = new KubernetesMetrics({
    kube: buildKube(this.api, this.clock),
    clock: this.clock,
    log: { ...silentLog, info: this.#note, warn: this.#note },
    turn: async () => void this.turns++,
  })
  #running: Promise<void> | undefined

  run(): void {
    this.#running = this.metrics.run(this.signal)
  }

  measure(node: string, cpu: string, memory: string): void {
    const metadata = { name: node }
    this.api.put(`${nodesPath}/${node}`, { metadata, usage: { cpu, memory } } as never)
  }

  measurePod(namespace: string, name: string, ...usages: object[]): void {
    const containers = usages.map((usage, index) => ({ name: `c${index}`, usage }))
    this.api.put(`${podsPath}/${namespace}-${name}`, { metadata: { namespace, name }, containers } as never)
  }

  /** Thousandths of a cpu. */
  cpu(node: string): number | undefined {
    return this.metrics.nodes().get(node)?.get('cpu')
  }

  lists(path = nodesPath): number {
    return this.api.requests.filter((request) => request.path === path).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the test is over'))
    await this.#running
  }
}

describe('the loop', () => {
  test('lists all nodes at once and then every five seconds', async () => {
    await using ground = new Ground()
    ground.measure('n1', '1', '1Ki')
    ground.measure('n2', '2', '2Ki')
    expect(ground.metrics.synced()).toBe(false)
    ground.run()
    await ground.clock.advance(0)
    expect(ground.metrics.synced()).toBe(true)
    expect(ground.metrics.nodes()).toEqual(
      new Map([
        [
          'n1',
          new Map([
            ['cpu', 1_000],
            ['memory', 1_024_000],
          ]),
        ],
        [
          'n2',
          new Map([
            ['cpu', 2_000],
            ['memory', 2_048_000],
          ]),
        ],
      ]),
    )
    expect(ground.lists()).toBe(1)
    await ground.clock.advance(4_999)
    expect(ground.lists()).toBe(1)
    await ground.clock.advance(10_001)
    expect(ground.lists()).toBe(4)
  })

  test('smooths what it lists', async () => {
    await using ground = new Ground()
    ground.measure('n1', '1400m', '1Ki')
    ground.run()
    await ground.clock.advance(0)
    ground.measure('n1', '500m', '1Ki')
    await ground.clock.advance(5_000)
    expect(ground.cpu('n1')).toBe(1_310)
    ground.measure('n1', '900m', '1Ki')
    await ground.clock.advance(5_000)
    expect(ground.cpu('n1')).toBe(1_269)
  })

  test('keeps the value of a node that is missing in a list', async () => {
    await using ground = new Ground()
    ground.measure('n1', '1400m', '1Ki')
    ground.measure('n2', '1', '1Ki')
    ground.run()
    await ground.clock.advance(0)
    ground.api.remove(`${nodesPath}/n1`)
    await ground.clock.advance(3_600_000)
    expect(ground.cpu('n1')).toBe(1_400)
    ground.measure('n1', '500m', '1Ki')
    await ground.clock.advance(5_000)
    expect(ground.cpu('n1')).toBe(1_310)
  })

  test('forgets a node that has been missing for more than a day', async () => {
    await using ground = new Ground()
    ground.measure('n1', '1', '1Ki')
    await ground.metrics.collect(ground.signal)
    ground.api.remove(`${nodesPath}/n1`)
    await ground.clock.advance(24 * 3_600_000)
    await ground.metrics.collect(ground.signal)
    expect(ground.cpu('n1')).toBe(1_000)
    await ground.clock.advance(1)
    await ground.metrics.collect(ground.signal)
    expect(ground.cpu('n1')).toBeUndefined()
  })

  test('ends with the signal, also in the middle of a list', async () => {
    const ground = new Ground()
    ground.api.fault = () => failure(503, 'ServiceUnavailable', 'down')
    ground.run()
    await ground.clock.advance(150)
    await ground[Symbol.asyncDispose]()
    expect(ground.metrics.problem()).toBeUndefined()
    expect(ground.clock.pendingTimers).toBe(0)
  })
})

describe('a failure', () => {
  test.each<{ name: string; answer: TransportResponse; words: string[] }>([
    {
      name: 'an API that is not there calls for metrics-server',
      answer: failure(404, 'NotFound', 'the server could not find the requested resource'),
      words: ['does not serve metrics.k8s.io', 'metrics-server must be installed'],
    },
    {
      name: 'an API without a server behind it calls for metrics-server',
      answer: failure(503, 'ServiceUnavailable', 'the server is currently unable to handle the request'),
      words: ['metrics.k8s.io does not list nodes', 'metrics-server must be installed', 'unable to handle the request'],
    },
    {
      name: 'a missing right is named',
      answer: failure(403, 'Forbidden', 'nodes.metrics.k8s.io is forbidden'),
      words: ['the right to list nodes of metrics.k8s.io', 'is forbidden'],
    },
  ])('$name', async ({ answer, words }) => {
    await using ground = new Ground()
    ground.api.fault = () => answer
    ground.run()
    await ground.clock.advance(60_000)
    for (const part of words) expect(ground.metrics.problem()?.message).toContain(part)
    expect(ground.metrics.synced()).toBe(false)
    expect(ground.metrics.nodes().size).toBe(0)
    expect(ground.lines).toEqual([ground.metrics.problem()?.message])
  })

  test('is over with the next list; the values have stayed', async () => {
    await using ground = new Ground()
    ground.measure('n1', '1', '1Ki')
    ground.run()
    await ground.clock.advance(0)
    ground.api.fault = () => failure(404, 'NotFound', 'gone')
    await ground.clock.advance(20_000)
    expect(ground.cpu('n1')).toBe(1_000)
    expect(ground.metrics.problem()).toBeDefined()
    ground.api.fault = () => undefined
    await ground.clock.advance(5_000)
    expect(ground.metrics.problem()).toBeUndefined()
    expect(ground.lines.at(-1)).toBe('metrics.k8s.io answers again')
  })

  test('of the program itself is thrown', async () => {
    await using ground = new Ground()
    ground.api.fault = () => new TypeError('a mistake')
    await expect(ground.metrics.run(ground.signal)).rejects.toThrow('a mistake')
  })
})

describe('pods', () => {
  test('are listed once for all namespaces, their containers summed', async () => {
    await using ground = new Ground()
    ground.measurePod('shop', 'cart', { cpu: '100m', memory: '1Ki' }, { cpu: '50m', memory: '1Ki' })
    ground.measurePod('bank', 'cart', { cpu: '1', memory: '3' })
    ground.measurePod('bank', 'starting', { cpu: '1' })
    expect(await ground.metrics.podUsage(ground.signal)).toEqual(
      new Map([
        [
          'shop/cart',
          new Map([
            ['cpu', 150],
            ['memory', 2_048_000],
          ]),
        ],
        [
          'bank/cart',
          new Map([
            ['cpu', 1_000],
            ['memory', 3_000],
          ]),
        ],
      ]),
    )
    expect(ground.lists(podsPath)).toBe(1)
  })

  test('leave others a turn every thousand', async () => {
    await using ground = new Ground()
    for (let index = 0; index < 2_500; index++) ground.measurePod('shop', `p${index}`, { cpu: '1', memory: '1' })
    expect((await ground.metrics.podUsage(ground.signal)).size).toBe(2_500)
    expect(ground.turns).toBe(2)
  })

  test('are unknown if the API fails, and the reason is kept', async () => {
    await using ground = new Ground()
    ground.api.fault = () => failure(404, 'NotFound', 'gone')
    expect((await ground.metrics.podUsage(ground.signal)).size).toBe(0)
    expect(ground.metrics.problem()?.message).toContain('metrics-server must be installed')
  })

  test('are not waited for beyond the signal', async () => {
    await using ground = new Ground()
    await expect(ground.metrics.podUsage(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
    expect(ground.metrics.problem()).toBeUndefined()
  })
})
