import { isOfInterest, type FileStep } from '../../agent/static-pods/decide-parking.ts'
import { mirrorOfManifest } from '../../agent/static-pods/manifest.ts'
import type { FolderListing, ManifestFolder } from '../../agent/static-pods/manifest-folder.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { staticPodsAnnotation } from '../../embedded/controllers/kubelet/static-pods.ts'
import type { Stage } from './stage.ts'

/** A folder of manifests in memory. The embedded kubelet of the node runs what a real one would see in it. */
export class PlayedFolder implements ManifestFolder {
  readonly path = '/etc/kubernetes/manifests'
  readonly #stage: Pick<Stage, 'kube' | 'signal'>
  readonly #node: string
  readonly #files: Map<string, string>

  /** `files` are texts in JSON, by name. */
  constructor(stage: Pick<Stage, 'kube' | 'signal'>, node: string, files: Readonly<Record<string, string>>) {
    this.#stage = stage
    this.#node = node
    this.#files = new Map(Object.entries(files))
  }

  /** All that is there, by name. */
  contents(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Tells the kubelet what is there: names with a dot in front are not for it. */
  async publish(): Promise<void> {
    const visible = [...this.#files].filter(([name]) => !name.startsWith('.')).map(([, text]) => text)
    const body = { metadata: { annotations: { [staticPodsAnnotation]: `[${visible.join()}]` } } }
    const { kube, signal } = this.#stage
    await kube.patch(nodes, { name: this.#node }, { type: 'merge', body }, { signal })
  }

  async list(): Promise<FolderListing> {
    const files = [...this.#files]
      .filter(([name]) => isOfInterest(name))
      // Nobody else writes here, so that the text tells one file from another.
      .map(([name, text]) => ({ name, inode: text, pod: mirrorOfManifest(text, this.#node) }))
    return { kind: 'files', files }
  }

  async take(step: FileStep): Promise<void> {
    if (step.kind === 'unlink') this.#files.delete(step.name)
    else this.#files.set(step.to, this.#found(step.from))
    if (step.kind === 'rename') this.#files.delete(step.from)
    await this.publish()
  }

  #found(name: string): string {
    const text = this.#files.get(name)
    if (text === undefined) throw Object.assign(new Error(`there is no ${name}`), { code: 'ENOENT' })
    return text
  }
}
