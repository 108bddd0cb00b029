import { basename, join } from 'node:path'
import { addresses } from '../components.ts'

// What containerd and the kubelet are told. All that they make is in the cluster's folder, or bears its name.

export const realNode = 'real-1'
export const pauseImage = 'lifeboat.test/pause:1'

export function nodeFilesIn(folder: string) {
  const file = (name: string) => join(folder, 'node', name)
  return {
    folder: join(folder, 'node'),
    containerdConfig: file('containerd.toml'),
    containerdSocket: file('containerd.sock'),
    containerdRoot: file('containerd-root'),
    containerdState: file('containerd-state'),
    runcState: file('runc'),
    containerdLog: join(folder, 'containerd.log'),
    kubeletConfig: file('kubelet.yaml'),
    kubeletRoot: file('kubelet'),
    manifests: file('manifests'),
    kubeletLog: join(folder, 'kubelet.log'),
    podLogs: file('pod-logs'),
    networkConfig: file('cni'),
    networkData: file('cni-data'),
    pauseImage: file('pause.tar'),
    addresses: file('addresses.json'),
  }
}

/** Below it are all processes in containers of this cluster. */
export function cgroupOf(folder: string): string {
  return `/${basename(folder)}`
}

export function containerdConfig(folder: string, pluginFolder: string): string {
  const files = nodeFilesIn(folder)
  const cri = 'plugins."io.containerd.grpc.v1.cri"'
  return `version = 2
root = "${files.containerdRoot}"
state = "${files.containerdState}"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs"]

[grpc]
  address = "${files.containerdSocket}"

[${cri}]
  sandbox_image = "${pauseImage}"
  # Some machines allow nobody to be less likely killed than others.
  restrict_oom_score_adj = true
  # With the folder they go, however this ends.
  netns_mounts_under_state_dir = true
  [${cri}.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [${cri}.containerd.runtimes.runc.options]
      Root = "${files.runcState}"
  [${cri}.cni]
    bin_dir = "${pluginFolder}"
    conf_dir = "${files.networkConfig}"
`
}

export function networkConfig(folder: string, subnet: string): string {
  const ipam = {
    type: 'host-local',
    dataDir: nodeFilesIn(folder).networkData,
    ranges: [[{ subnet }]],
    routes: [{ dst: '0.0.0.0/0' }],
  }
  return JSON.stringify({
    cniVersion: '0.4.0',
    name: basename(folder),
    plugins: [{ type: 'ptp', ipMasq: false, ipam }],
  })
}

export function kubeletConfig(folder: string, ports: { readonly kubelet: number; readonly health: number }): string {
  const files = nodeFilesIn(folder)
  return JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: addresses.loopback,
    port: ports.kubelet,
    healthzBindAddress: addresses.loopback,
    healthzPort: ports.health,
    readOnlyPort: 0,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${files.containerdSocket}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroupOf(folder),
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    localStorageCapacityIsolation: false,
    makeIPTablesUtilChains: false,
    podLogsDir: files.podLogs,
    staticPodPath: files.manifests,
    volumePluginDir: join(files.folder, 'volume-plugins'),
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '1Mi', 'nodefs.available': '0%', 'imagefs.available': '0%' },
    nodeStatusUpdateFrequency: '5s',
    syncFrequency: '10s',
    shutdownGracePeriod: '0s',
  })
}

export function kubeletArguments(folder: string, kubeconfig: string, nodeAddress: string): string[] {
  const files = nodeFilesIn(folder)
  return [
    `--config=${files.kubeletConfig}`,
    `--kubeconfig=${kubeconfig}`,
    `--root-dir=${files.kubeletRoot}`,
    `--cert-dir=${join(files.kubeletRoot, 'pki')}`,
    `--hostname-override=${realNode}`,
    `--node-ip=${nodeAddress}`,
  ]
}
