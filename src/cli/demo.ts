import type { World } from './program.ts'

const lines = [
  'Lifeboat takes nodes out of a Kubernetes cluster without hurting the applications on them.',
  '',
  'There is nothing to show yet: the demo will drain a cluster inside this process, live, and it needs the embedded',
  'cluster and the controllers, which come first. What works today:',
  '',
  '  make cluster   a real Kubernetes on this machine, from source, until Ctrl-C (needs Go)',
  '  make test      every test, on that Kubernetes too',
  '  make bench     figures, as ratios against the official client in the same run',
]

export function demo(world: World): void {
  for (const line of lines) world.print(line)
}
