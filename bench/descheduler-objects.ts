import type { Stored } from '../src/embedded/server/store.ts'

/** How much is on each node of a large cluster: some are far too full, some nearly empty. */
const classes = [
  { everyTen: 2, pods: 50 },
  { everyTen: 6, pods: 30 },
  { everyTen: 2, pods: 10 },
] as const
export const podsPerTenNodes = classes.reduce((sum, { everyTen, pods }) => sum + everyTen * pods, 0)

const createdAt = '2026-01-01T00:00:00Z'
const zone = 'topology.kubernetes.io/zone'
const applicationsInNamespace = 30
const identifier = (prefix: string, at: number) => `${prefix}0000000-0000-4000-8000-${String(at).padStart(12, '0')}`

export function podsOnNode(at: number): number {
  let seat = at % 10
  for (const { everyTen, pods } of classes) {
    if (seat < everyTen) return pods
    seat -= everyTen
  }
  return 0
}

/** Neighbours are of different applications, and no application is spread evenly. */
export function applicationOf(at: number, applications: number): number {
  return (at * 7_919 + Math.floor(at / 1_000)) % applications
}

/** As large as a real one, of an application that has such pods all over the cluster. */
export function buildBusyPod(at: number, nodeName: string, applications: number): Stored {
  const { namespace, labels, owner, spec } = templateOf(applicationOf(at, applications))
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${owner.name}-${at}`,
      namespace,
      uid: identifier('4', at),
      resourceVersion: '1',
      creationTimestamp: createdAt,
      labels,
      ownerReferences: [owner],
    },
    spec: { ...spec, nodeName, enableServiceLinks: true },
    status: statusOf(at),
  }
}

export type Template = ReturnType<typeof buildTemplate>
const templates = new Map<number, Template>()

export function templateOf(application: number): Template {
  const known = templates.get(application) ?? buildTemplate(application)
  templates.set(application, known)
  return known
}

function buildTemplate(application: number) {
  const name = `application-${application}`
  const labels = { app: name, 'app.kubernetes.io/part-of': 'shop', 'pod-template-hash': String(application) }
  const image = `registry.example.com/team/${name}:v1.${application}`
  const variables = Array.from({ length: 6 }, (_, at) => ({ name: `SETTING_${at}`, value: `value ${at} of ${name}` }))
  const container = {
    name: 'main',
    image,
    env: variables,
    resources: { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '1Gi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' }, periodSeconds: 10 },
    volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true }],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  }
  const spec = {
    containers: [container],
    volumes: [{ name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }],
    priority: (application % 3) * 1_000,
    schedulerName: 'default-scheduler',
    serviceAccountName: 'default',
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    tolerations: ['not-ready', 'unreachable'].map((condition) => ({
      key: `node.kubernetes.io/${condition}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
    topologySpreadConstraints: [
      {
        maxSkew: 5,
        topologyKey: zone,
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { app: name } },
      },
    ],
  }
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: `${name}-5d4f8c7b9`,
    uid: identifier('5', application),
    controller: true,
    blockOwnerDeletion: true,
  }
  return { namespace: `team-${Math.floor(application / applicationsInNamespace)}`, labels, owner, spec }
}

function statusOf(at: number): object {
  const podIP = `10.${64 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`
  return {
    phase: 'Running',
    qosClass: 'Burstable',
    startTime: createdAt,
    hostIP: '10.0.0.1',
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
      (type) => ({
        type,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: createdAt,
      }),
    ),
    containerStatuses: [
      {
        name: 'main',
        image: 'registry.example.com/team/application:v1',
        imageID: `registry.example.com/team/application@sha256:${String(at).padStart(64, '0')}`,
        containerID: `containerd://${String(at).padStart(64, '0')}`,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: createdAt } },
        lastState: {},
      },
    ],
  }
}
