import type { World } from './program.ts'

const lines = [
  'Lifeboat takes nodes out of a Kubernetes cluster without hurting the applications on them.',
  '',
  'There is nothing to watch yet: the demo will drain a cluster inside this process, live. What works today:',
  '',
  '  bin/lifeboat cluster   a small Kubernetes in this process, for kubectl',
  '  bin/lifeboat run       NodeMaintenances and Evacuations on any cluster: nodes are drained by plan, replacements first',
  '  make cluster           a real Kubernetes on this machine, from source, until Ctrl-C (needs Go)',
  '  make test              every test, on that Kubernetes too',
  '  make bench             figures, as ratios against a yardstick in the same run',
]

export function demo(world: World): void {
  for (const line of lines) world.print(line)
}
