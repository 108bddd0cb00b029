import { join } from 'node:path'
import { nodeLabels } from '../../src/embedded/node-labels.ts'
import type { ProbeTarget } from './probe.ts'

/** In the order in which they start; kwok plays the kubelets. */
export const components = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const

export type Component = (typeof components)[number]

export type Ports = Readonly<Record<Component | 'etcd-peer', number>>

export interface ComponentSettings {
  readonly folder: string
  readonly ports: Ports
  readonly apiServerFlags: readonly string[]
  /** A range of addresses. */
  readonly services: string
  /** Without controllers nobody makes the service accounts that this admission plugin insists on. */
  readonly serviceAccounts: boolean
}

/** The files that every cluster has in its folder. */
export function filesIn(folder: string) {
  const file = (name: string) => join(folder, name)
  return {
    authority: file('ca.pem'),
    authorityKey: file('ca-key.pem'),
    serving: file('serving.pem'),
    servingKey: file('serving-key.pem'),
    signingKey: file('service-account-key.pem'),
    tokens: file('tokens.csv'),
    kubeconfig: file('kubeconfig'),
    kubeconfigWithCertificate: file('certificate.kubeconfig'),
    kubectlCache: file('kubectl-cache'),
    kubeconfigOf: (component: Component) => file(`${component}.kubeconfig`),
    logOf: (component: Component) => file(`${component}.log`),
    data: file('data'),
    auditPolicy: file('audit-policy.yaml'),
    evictions: file('evictions.jsonl'),
  }
}

const stageFiles = ['options', 'node', 'pod-start', 'pod-become-ready', 'pod-trouble', 'pod-end'].map((name) =>
  join(import.meta.dirname, 'stages', `${name}.yaml`),
)

export const addresses = {
  loopback: '127.0.0.1',
  /** The first address of the service range, which the API server gives to its own Service. */
  apiServerService: '10.96.0.1',
  services: '10.96.0.0/16',
  // Room for a million pods. Never the loopback range: the API server refuses it in EndpointSlices.
  pods: '10.16.0.0/12',
  node: '192.0.2.1',
}

/** Command line of a component. Each one names the cluster's folder, by which the watchdog knows its own again. */
export function argumentsOf(component: Component, settings: ComponentSettings): string[] {
  switch (component) {
    case 'etcd':
      return etcdArguments(settings)
    case 'kube-apiserver':
      return apiServerArguments(settings)
    case 'kube-controller-manager':
      return controllerManagerArguments(settings)
    case 'kube-scheduler':
      return [...controllerArguments('kube-scheduler', settings)]
    case 'kwok':
      return kwokArguments(settings)
    default:
      return component satisfies never
  }
}

export function readinessOf(component: Component, ports: Ports): ProbeTarget {
  const https = (path: string) => `https://${addresses.loopback}:${ports[component]}${path}`
  const http = (path: string) => `http://${addresses.loopback}:${ports[component]}${path}`
  switch (component) {
    case 'etcd':
      return { url: http('/readyz') }
    case 'kube-apiserver':
    case 'kube-scheduler':
      return { url: https('/readyz') }
    case 'kube-controller-manager':
      return { url: https('/healthz') }
    case 'kwok':
      return { url: http('/readyz') }
    default:
      return component satisfies never
  }
}

function etcdArguments({ folder, ports }: ComponentSettings): string[] {
  const client = `http://${addresses.loopback}:${ports.etcd}`
  const peer = `http://${addresses.loopback}:${ports['etcd-peer']}`
  return [
    '--name=only',
    `--data-dir=${filesIn(folder).data}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=only=${peer}`,
    // What is written need only outlive the process, not the machine.
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]
}

function apiServerArguments({ folder, ports, apiServerFlags, serviceAccounts, services }: ComponentSettings): string[] {
  const files = filesIn(folder)
  return [
    `--etcd-servers=http://${addresses.loopback}:${ports.etcd}`,
    `--bind-address=${addresses.loopback}`,
    `--advertise-address=${addresses.loopback}`,
    `--secure-port=${ports['kube-apiserver']}`,
    // The API server would refuse to put a loopback address into the endpoints of its own Service.
    '--endpoint-reconciler-type=none',
    `--service-cluster-ip-range=${services}`,
    `--tls-cert-file=${files.serving}`,
    `--tls-private-key-file=${files.servingKey}`,
    `--client-ca-file=${files.authority}`,
    `--token-auth-file=${files.tokens}`,
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${files.signingKey}`,
    `--service-account-signing-key-file=${files.signingKey}`,
    ...(serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
    '--allow-privileged=true',
    // One line for each eviction that somebody asked for: the metrics do not say in which namespace.
    `--audit-policy-file=${files.auditPolicy}`,
    `--audit-log-path=${files.evictions}`,
    // Webhooks behind a Service are called at its endpoints: there is no kube-proxy here.
    '--enable-aggregator-routing=true',
    // Else a SIGTERM takes a minute, for which the API server waits for its watches to end by themselves.
    '--shutdown-watch-termination-grace-period=1s',
    '--max-requests-inflight=3000',
    '--max-mutating-requests-inflight=1000',
    '--profiling=false',
    ...apiServerFlags,
  ]
}

function controllerManagerArguments(settings: ComponentSettings): string[] {
  const files = filesIn(settings.folder)
  return [
    ...controllerArguments('kube-controller-manager', settings),
    `--service-account-private-key-file=${files.signingKey}`,
    `--root-ca-file=${files.authority}`,
    `--cluster-signing-cert-file=${files.authority}`,
    `--cluster-signing-key-file=${files.authorityKey}`,
    '--use-service-account-credentials=true',
    // An autoscaler is looked at only so often, whatever happens to it.
    '--horizontal-pod-autoscaler-sync-period=1s',
  ]
}

function controllerArguments(
  component: 'kube-controller-manager' | 'kube-scheduler',
  { folder, ports }: ComponentSettings,
): string[] {
  const files = filesIn(folder)
  const kubeconfig = files.kubeconfigOf(component)
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--bind-address=${addresses.loopback}`,
    `--secure-port=${ports[component]}`,
    // Else each makes a certificate of its own first.
    `--tls-cert-file=${files.serving}`,
    `--tls-private-key-file=${files.servingKey}`,
    '--leader-elect=false',
    '--kube-api-qps=1000',
    '--kube-api-burst=2000',
    '--profiling=false',
  ]
}

function kwokArguments({ folder, ports }: ComponentSettings): string[] {
  return [
    `--kubeconfig=${filesIn(folder).kubeconfigOf('kwok')}`,
    ...stageFiles.map((file) => `--config=${file}`),
    '--manage-all-nodes=false',
    '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    // A label, unlike an annotation, can be taken from a node that kwok looks after: the watch then ends for that node.
    `--manage-nodes-with-label-selector=${nodeLabels.silent}!=true`,
    '--node-lease-duration-seconds=40',
    `--node-ip=${addresses.node}`,
    `--cidr=${addresses.pods}`,
    `--server-address=${addresses.loopback}:${ports.kwok}`,
  ]
}
