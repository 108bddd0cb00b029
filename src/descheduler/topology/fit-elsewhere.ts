import { misfitOf, type Occupancy } from '../fit/node-fit.ts'
import type { NodeView, PodTemplateView, PodView } from '../view.ts'

/**
 * Whether a pod fits one of the nodes, its own apart. The pods are of one namespace. Pods from one template differ in
 * nothing but their own node, so two nodes that fit the template answer for all of them.
 */
export function fitsElsewhereOn(nodes: () => Iterable<NodeView>, occupancy: Occupancy): (pod: PodView) => boolean {
  const fittingByTemplate = new Map<PodTemplateView, readonly string[]>()
  const fits = (pod: PodView, node: NodeView) => misfitOf(pod, node, occupancy) === undefined

  const fittingFor = (pod: PodView): readonly string[] => {
    const known = fittingByTemplate.get(pod.template)
    if (known !== undefined) return known
    const stranger: PodView = { ...pod, name: '', nodeName: '' }
    const fitting: string[] = []
    for (const node of nodes()) {
      if (fits(stranger, node)) fitting.push(node.name)
      if (fitting.length === 2) break
    }
    fittingByTemplate.set(pod.template, fitting)
    return fitting
  }

  return (pod) => {
    if (!hasNamesakes(pod)) return fittingFor(pod).some((name) => name !== pod.nodeName)
    for (const node of nodes()) if (node.name !== pod.nodeName && fits(pod, node)) return true
    return false
  }
}

/** Its anti-affinity passes over pods of its own name, which may be there if a term looks at other namespaces. */
function hasNamesakes({ namespace, template }: PodView): boolean {
  return template.antiAffinity.some(({ namespaces = [] }) => namespaces.some((name) => name !== namespace))
}
