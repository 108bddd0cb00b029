import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The oldest Go that the recipes' go.mod files accept. */
export const goVersion = '1.26'

/** A Kubernetes that the recipes build: the version that a cluster of ours answers with. */
export interface KubernetesRelease {
  readonly version: `v${number}.${number}.${number}`
  /** Its recipe. */
  readonly folder: string
}

/** By the names that the variable below takes. */
const releases = {
  newest: { version: 'v1.37.1', folder: 'kubernetes' },
  oldest: { version: 'v1.32.5', folder: 'kubernetes-1.32' },
} as const satisfies Record<string, KubernetesRelease>

/** The environment says which of them everything here builds, starts and asks; without it, the newest. */
export const releaseVariable = 'LIFEBOAT_TEST_KUBERNETES'

export type ReleaseName = keyof typeof releases

export function releaseNameIn(environment: NodeJS.ProcessEnv): ReleaseName {
  const name = environment[releaseVariable] || 'newest'
  if (!Object.hasOwn(releases, name)) {
    throw new Error(`${releaseVariable} is ${name}; it takes one of: ${Object.keys(releases).join(', ')}`)
  }
  return name as ReleaseName
}

export function releaseIn(environment: NodeJS.ProcessEnv): KubernetesRelease {
  return releases[releaseNameIn(environment)]
}

export interface Recipe {
  readonly binary: string
  /** The folder beside this file, under recipe/, whose go.mod pins every module. */
  readonly folder: string
  readonly package: string
  readonly linkerFlags: string
}

const stripped = '-s -w'

// Without the stamp the binaries call themselves v0.0.0, which kubectl and version checks stumble over.
function stampOf({ version }: KubernetesRelease): string {
  const [major, minor] = version.slice(1).split('.')
  return [
    stripped,
    ...['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].map(
      (path) => `-X ${path}.gitVersion=${version} -X ${path}.gitMajor=${major} -X ${path}.gitMinor=${minor}`,
    ),
  ].join(' ')
}

function buildTargets(release: KubernetesRelease) {
  const kubernetes = (binary: string): Recipe => ({
    binary,
    folder: release.folder,
    package: `k8s.io/kubernetes/cmd/${binary}`,
    linkerFlags: stampOf(release),
  })
  return {
    default: [
      kubernetes('kube-apiserver'),
      kubernetes('kube-controller-manager'),
      kubernetes('kube-scheduler'),
      kubernetes('kubectl'),
      { binary: 'etcd', folder: 'etcd', package: 'go.etcd.io/etcd/server/v3', linkerFlags: stripped },
      { binary: 'kwok', folder: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok', linkerFlags: stripped },
    ],
    kubelet: [kubernetes('kubelet')],
    helm: [{ binary: 'helm', folder: 'helm', package: 'helm.sh/helm/v3/cmd/helm', linkerFlags: stripped }],
    descheduler: [
      {
        binary: 'descheduler',
        folder: 'descheduler',
        package: 'sigs.k8s.io/descheduler/cmd/descheduler',
        linkerFlags: stripped,
      },
    ],
  } satisfies Record<string, readonly Recipe[]>
}

/** The default target is what a cluster needs; the others are built only for the tests that ask for them. */
export const targets = { newest: buildTargets(releases.newest), oldest: buildTargets(releases.oldest) }

export type Target = keyof typeof targets.newest

export function isTarget(name: string): name is Target {
  return Object.hasOwn(targets.newest, name)
}

export const recipesFolder = join(import.meta.dirname, 'recipe')

/** Everything on the command line of go build but the linker's flags, the output and the package. */
export const buildFlags: readonly string[] = ['-trimpath', '-mod=readonly', '-buildvcs=false']

/** Where the binary of a recipe is kept; the path changes with anything that would change the binary. */
export async function binaryPath(recipe: Recipe, options: RecipeOptions): Promise<string> {
  const folder = join(options.recipesFolder, recipe.folder)
  const hash = createHash('sha256')
  for (const part of [
    await readFile(join(folder, 'go.mod')),
    await readFile(join(folder, 'go.sum')),
    recipe.linkerFlags,
    buildFlags.join(' '),
    `${process.platform}/${process.arch}`,
  ]) {
    hash.update(part).update('\0')
  }
  const key = hash.digest('hex').slice(0, 16)
  return join(cacheFolder(options.environment), `${recipe.folder}-${key}`, recipe.binary)
}

export interface RecipeOptions {
  readonly recipesFolder: string
  readonly environment: NodeJS.ProcessEnv
}

function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const base = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache')
  return join(base, 'lifeboat', 'cluster')
}
