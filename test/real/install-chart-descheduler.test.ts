import { beforeAll, describe, expect, test } from 'vitest'
import { objectsIn } from '../../scripts/render-chart.ts'
import { parsePolicy } from '../../src/descheduler/policy/parse-policy.ts'
import { deschedulerObjects } from '../../src/manager/install/descheduler-objects.ts'
import { deschedulerLabels } from '../../src/manager/install/installation-names.ts'
import type { Rule } from '../../src/manager/manifests/rbac.ts'
import { chart, createHelm, type Helm, renderChart } from '../cluster/helm.ts'

// The descheduler in the chart, as far as Helm alone shows it. What it may do is tried in descheduler-access.test.ts.

let helm: Helm

beforeAll(async () => {
  helm = await createHelm()
}, 600_000)

interface Container {
  readonly args: readonly string[]
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly mountPath: string; readonly subPath?: string }[]
  readonly livenessProbe?: object
}

interface PodTemplate {
  readonly metadata: { readonly labels: object }
  readonly spec: { readonly containers: readonly [Container] } & Readonly<Record<string, unknown>>
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, string>>
  readonly rules?: readonly Rule[]
}

/** With the descheduler on, and these settings. */
const render = async (...settings: readonly string[]) => {
  const set = ['descheduler.enabled=true', ...settings].flatMap((setting) => ['--set', setting])
  return objectsIn(await renderChart(helm, set)) as Manifest[]
}
const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`
const named = (objects: readonly Manifest[]) => objects.map(nameOf)
const find = (objects: readonly Manifest[], name: string) => {
  const found = objects.find((object) => nameOf(object) === name)
  if (found === undefined) throw new Error(`${name} is not among ${named(objects).join(', ')}`)
  return found
}

const prometheus = (...more: readonly string[]) =>
  ['source=Prometheus', 'prometheus.url=https://prometheus.monitoring:9090', ...more].map(
    (setting) => `descheduler.policy.metricsProviders[0].${setting}`,
  )

test('off, it leaves no trace but the rights to remove what it made', async () => {
  const objects = objectsIn(await renderChart(helm, [])) as Manifest[]
  const traces = objects.filter((object) => /descheduler(?!\.alpha)/.test(JSON.stringify(object)))
  expect(named(traces)).toEqual(['Role lifeboat-uninstall'])
})

test('values of a chart that did not know it leave it off', async () => {
  expect(await renderChart(helm, ['--set', 'descheduler=null'])).toBe(await renderChart(helm, []))
})

test.each(['Deployment', 'CronJob', 'Controller'])('helm lint has nothing to say against a %s', async (kind) => {
  const set = `descheduler.enabled=true,descheduler.kind=${kind}`
  expect(await helm(['lint', '--strict', chart, '--set', set])).toContain('0 chart(s) failed')
})

test('on, it brings nothing that uninstalling does not know', async () => {
  const known = new Set(named(deschedulerObjects('lifeboat-system') as Manifest[]))
  const kinds = ['Deployment', 'CronJob', 'Controller']
  const brought = (await Promise.all(kinds.map((kind) => render(`descheduler.kind=${kind}`)))).flat()
  const before = new Set(named(objectsIn(await renderChart(helm, [])) as Manifest[]))
  const unknown = named(brought).filter((name) => !before.has(name) && !known.has(name))
  expect(unknown).toEqual([])
  expect([...known].filter((name) => !named(brought).includes(name))).toEqual([])
})

describe('a Deployment', () => {
  test('leads by its Lease, at an interval, and is asked how it is', async () => {
    const objects = await render('descheduler.interval=2m', 'descheduler.maxEvacuationRequestTtl=30m')
    expect(named(objects)).not.toContain('CronJob lifeboat-descheduler')
    const { container } = podOf(find(objects, 'Deployment lifeboat-descheduler'))
    expect(container.args).toEqual([
      'descheduler',
      '--policy-config-file=/etc/lifeboat/policy.yaml',
      '--mode=evacuate',
      '--max-evacuation-request-ttl=30m',
      '--namespace=lifeboat-system',
      '--log-level=info',
      '--descheduling-interval=2m',
      '--leader-elect',
      '--listen=[::]:8081',
    ])
    expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'metrics' } })
  })

  test('has its metrics read as those of the controller', async () => {
    const objects = await render('serviceMonitor.enabled=true')
    const { selector } = find(objects, 'ServiceMonitor lifeboat').spec as { selector: { matchLabels: object } }
    const service = find(objects, 'Service lifeboat-descheduler-metrics')
    expect(service.metadata).toMatchObject({ labels: selector.matchLabels })
    expect(service.spec).toMatchObject({ selector: deschedulerLabels, ports: [{ port: 8081 }] })
  })
})

test('a CronJob runs one cycle at a time, and leaves the next attempt to its schedule', async () => {
  const objects = await render('descheduler.kind=CronJob', 'descheduler.suspend=true')
  const cronJob = find(objects, 'CronJob lifeboat-descheduler')
  expect(cronJob.spec).toMatchObject({
    schedule: '*/10 * * * *',
    suspend: true,
    concurrencyPolicy: 'Forbid',
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 3,
    jobTemplate: { spec: { backoffLimit: 0, template: { spec: { restartPolicy: 'Never' } } } },
  })
  const { container } = podOf(cronJob)
  expect(container.args.filter((flag) => /interval|leader|listen/.test(flag))).toEqual([])
  const ofDeployments = /^(Deployment|Service) lifeboat-descheduler/
  expect(named(objects).filter((name) => ofDeployments.test(name))).toEqual([])
})

describe('as a part of the controller', () => {
  const inController = (...settings: readonly string[]) => render('descheduler.kind=Controller', ...settings)
  const withoutDescheduler = async () => objectsIn(await renderChart(helm, [])) as Manifest[]

  test('the pods of Lifeboat have its policy, and nothing else of them is different', async () => {
    const objects = await inController('descheduler.interval=2m', 'descheduler.maxEvacuationRequestTtl=30m')
    const { template, container } = podOf(find(objects, 'Deployment lifeboat'))
    const plain = podOf(find(await withoutDescheduler(), 'Deployment lifeboat'))
    expect(container.args).toEqual([
      ...plain.container.args,
      '--descheduler-policy=/etc/lifeboat/policy.yaml',
      '--descheduling-interval=2m',
      '--max-evacuation-request-ttl=30m',
    ])
    expect(container.volumeMounts).toEqual([{ name: 'policy', mountPath: '/etc/lifeboat', readOnly: true }])
    const volumes = [{ name: 'policy', configMap: { name: 'lifeboat-descheduler-policy' } }]
    const { args: _args, volumeMounts: _mounts, ...rest } = container
    const { args: _plainArgs, ...plainRest } = plain.container
    expect(rest).toEqual(plainRest)
    const containers = template.spec.containers
    expect(template).toEqual({ ...plain.template, spec: { ...plain.template.spec, containers, volumes } })
  })

  test('it brings its policy and the rights that Lifeboat has not, and nothing that runs', async () => {
    const before = new Set(named(await withoutDescheduler()))
    const objects = await inController()
    expect(named(objects).filter((name) => !before.has(name))).toEqual([
      'ConfigMap lifeboat-descheduler-policy',
      'ClusterRole lifeboat-descheduler',
      'ClusterRoleBinding lifeboat-descheduler',
      'Role lifeboat-descheduler',
      'RoleBinding lifeboat-descheduler',
    ])
    for (const kind of ['ClusterRoleBinding', 'RoleBinding']) {
      expect(find(objects, `${kind} lifeboat-descheduler`)).toMatchObject({
        subjects: [{ kind: 'ServiceAccount', namespace: 'lifeboat-system', name: 'lifeboat' }],
      })
    }
    expect(find(objects, 'ClusterRole lifeboat')).toEqual(find(await withoutDescheduler(), 'ClusterRole lifeboat'))
  })

  test('Lifeboat may connect to Prometheus, and has the token for it', async () => {
    const ports = 'networkPolicy.apiServerPorts={6443}'
    const reference = ['namespace=monitoring', 'name=reader'].map((it) => `prometheus.authToken.secretReference.${it}`)
    const egressOf = async (...settings: readonly string[]) => {
      const { spec } = find(await inController(ports, ...settings), 'NetworkPolicy lifeboat')
      return { policyTypes: spec?.['policyTypes'], egress: spec?.['egress'] }
    }
    expect(await egressOf()).toEqual({ policyTypes: ['Ingress', 'Egress'], egress: [{ ports: [{ port: 6443 }] }] })
    expect(await egressOf(...prometheus(...reference))).toEqual({ policyTypes: ['Ingress'], egress: undefined })
    const objects = await inController(...prometheus(...reference))
    expect(find(objects, 'RoleBinding lifeboat-descheduler-token')).toMatchObject({
      metadata: { namespace: 'monitoring' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'lifeboat-system', name: 'lifeboat' }],
    })
  })
})

describe('the pod of either kind', () => {
  test.each(['Deployment', 'CronJob'])('is as hardened as that of the controller: %s', async (kind) => {
    const objects = await render(`descheduler.kind=${kind}`)
    const controller = podOf(find(objects, 'Deployment lifeboat'))
    const { template, container } = podOf(find(objects, `${kind} lifeboat-descheduler`))
    expect(template.metadata.labels).toEqual(deschedulerLabels)
    expect(template.spec['securityContext']).toEqual(controller.template.spec['securityContext'])
    expect(container.securityContext).toEqual(controller.container.securityContext)
    expect(template.spec).toMatchObject({ priorityClassName: 'lifeboat', serviceAccountName: 'lifeboat-descheduler' })
  })

  test('sees changes of its policy: a folder is mounted', async () => {
    const { container } = podOf(find(await render(), 'Deployment lifeboat-descheduler'))
    expect(container.volumeMounts).toEqual([{ name: 'policy', mountPath: '/etc/lifeboat', readOnly: true }])
  })
})

describe('the policy', () => {
  const policyOf = async (...settings: readonly string[]) => {
    const { data } = find(await render(...settings), 'ConfigMap lifeboat-descheduler-policy')
    return parsePolicy(data?.['policy.yaml'] ?? '')
  }

  test('is right as it comes, and no part of it is without effect', async () => {
    expect(await policyOf()).toMatchObject({ warnings: [], policy: { limits: { perNode: 5, total: 20 } } })
  })

  test('keeps large numbers', async () => {
    const set = 'descheduler.policy.profiles[0].pluginConfig[0]'
    const settings = [`${set}.name=DefaultEvictor`, `${set}.args.priorityThreshold.value=1999999999`]
    const read = await policyOf('descheduler.policy.profiles[0].name=p', ...settings)
    const priorityThreshold = { value: 1_999_999_999 }
    expect(read).toMatchObject({ policy: { profiles: [{ name: 'p', defaultEvictor: { priorityThreshold } }] } })
  })
})

describe('values that do not fit one another are refused', () => {
  const evict = 'descheduler.mode=evict'
  const window = ['from', 'to'].map((end, hour) => `descheduler.policy.lifeboat.window.${end}=0${hour}:00`)
  test.each([
    { set: ['featureGates.EvacuationAPI=false'], says: 'featureGates.EvacuationAPI is false', instead: [evict] },
    { set: ['descheduler.policy.gracePeriodSeconds=30'], says: 'an Evacuation cannot carry it', instead: [evict] },
    {
      set: ['descheduler.kind=Controller', evict],
      says: 'the controller only asks for Evacuations',
      instead: ['descheduler.kind=CronJob'],
    },
    {
      set: ['descheduler.kind=Controller', 'descheduler.dryRun=true'],
      says: 'the controller has no dry run',
      instead: ['descheduler.kind=CronJob'],
    },
    {
      set: [...window, 'descheduler.kind=CronJob'],
      says: 'its schedule says',
      instead: ['descheduler.kind=Deployment'],
    },
  ])('$set', async ({ set, says, instead }) => {
    await expect(render(...set)).rejects.toThrow(says)
    await expect(render(...set, ...instead)).resolves.toBeDefined()
  })
})

describe('its rights', () => {
  const rightsIn = (objects: readonly Manifest[]) =>
    objects
      .filter(({ kind, metadata }) => kind.endsWith('Role') && metadata.name.startsWith('lifeboat-descheduler'))
      .flatMap(({ rules = [] }) =>
        rules.flatMap(({ apiGroups, resources, verbs }) =>
          resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}${groupOf(apiGroups)}`)),
        ),
      )
  const groupOf = ([group = '']: readonly string[]) => (group === '' ? '' : `.${group}`)
  const writing = /^(?!get|list|watch)/

  test.each([
    {
      name: 'evacuating',
      settings: [],
      writes: [
        'create pods/eviction',
        'create events',
        'patch events',
        'create evacuations.evacuation.coordination.k8s.io',
        'patch evacuations.evacuation.coordination.k8s.io',
        'delete pods',
        'create configmaps',
        'patch configmaps',
        'create leases.coordination.k8s.io',
        'update leases.coordination.k8s.io',
      ],
    },
    {
      name: 'evicting from a CronJob',
      settings: ['descheduler.mode=evict', 'descheduler.kind=CronJob'],
      writes: ['create pods/eviction', 'create events', 'patch events', 'create configmaps', 'patch configmaps'],
    },
    { name: 'a dry run', settings: ['descheduler.dryRun=true'], writes: [] },
    {
      name: 'the controller, beside its own,',
      settings: ['descheduler.kind=Controller'],
      writes: ['create configmaps', 'patch configmaps', 'update leases.coordination.k8s.io'],
    },
  ])('to write, for $name: $writes', async ({ settings, writes }) => {
    const objects = await render(...settings)
    expect(rightsIn(objects).filter((right) => writing.test(right))).toEqual(writes)
    expect(named(objects).includes('ValidatingAdmissionPolicy lifeboat-descheduler-account')).toBe(
      writes.includes('delete pods'),
    )
  })

  test.each([
    { name: 'no provider', settings: [], measures: false },
    { name: 'Prometheus', settings: prometheus(), measures: false },
    { name: 'KubernetesMetrics', settings: ['descheduler.policy.metricsProviders[0].source=KubernetesMetrics'] },
    { name: 'the older word for it', settings: ['descheduler.policy.metricsCollector.enabled=true'] },
  ])('to read metrics.k8s.io follow from the policy: $name', async ({ settings, measures = true }) => {
    const found = rightsIn(await render(...settings)).filter((right) => right.endsWith('metrics.k8s.io'))
    expect(found).toEqual(measures ? ['list nodes.metrics.k8s.io', 'list pods.metrics.k8s.io'] : [])
  })

  test('to the token for Prometheus are for that Secret, where it is', async () => {
    const reference = ['namespace=monitoring', 'name=reader'].map((it) => `prometheus.authToken.secretReference.${it}`)
    const objects = await render(...prometheus(...reference))
    const role = find(objects, 'Role lifeboat-descheduler-token')
    expect(role.metadata.namespace).toBe('monitoring')
    expect(role.rules).toEqual([{ apiGroups: [''], resources: ['secrets'], resourceNames: ['reader'], verbs: ['get'] }])
    expect(find(objects, 'RoleBinding lifeboat-descheduler-token')).toMatchObject({
      metadata: { namespace: 'monitoring' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'lifeboat-system', name: 'lifeboat-descheduler' }],
    })
    expect(named(await render(...prometheus()))).not.toContain('Role lifeboat-descheduler-token')
  })
})

describe('its NetworkPolicy', () => {
  const ports = 'networkPolicy.apiServerPorts={6443}'
  const podSelector = { matchLabels: deschedulerLabels }

  test.each([
    {
      name: 'lets metrics be read, and nothing else',
      settings: [],
      expected: { podSelector, policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 8081 }] }] },
    },
    {
      name: 'lets nothing in to a CronJob, which does not listen',
      settings: ['descheduler.kind=CronJob'],
      expected: { podSelector, policyTypes: ['Ingress'] },
    },
    {
      name: 'lets it to the API server alone where its ports are known',
      settings: ['descheduler.kind=CronJob', ports],
      expected: { podSelector, policyTypes: ['Ingress', 'Egress'], egress: [{ ports: [{ port: 6443 }] }] },
    },
    {
      name: 'does not keep it from Prometheus',
      settings: ['descheduler.kind=CronJob', ports, ...prometheus()],
      expected: { podSelector, policyTypes: ['Ingress'] },
    },
  ])('$name', async ({ settings, expected }) => {
    const objects = await render(...settings)
    expect(find(objects, 'NetworkPolicy lifeboat-descheduler').spec).toEqual(expected)
    const operator = 'NotIn'
    expect(find(objects, 'NetworkPolicy lifeboat').spec).toMatchObject({
      podSelector: { matchExpressions: [{ key: 'app.kubernetes.io/component', operator, values: ['descheduler'] }] },
    })
  })

  test('is not there where none is wanted', async () => {
    const objects = await render('networkPolicy.enabled=false')
    expect(named(objects).filter((name) => name.startsWith('NetworkPolicy'))).toEqual([])
  })
})

/** Of a Deployment or a CronJob. */
function podOf({ spec = {} }: Manifest): { template: PodTemplate; container: Container } {
  const { jobTemplate } = spec as { jobTemplate?: { spec: { template: PodTemplate } } }
  const template = jobTemplate?.spec.template ?? (spec['template'] as PodTemplate)
  return { template, container: template.spec.containers[0] }
}
