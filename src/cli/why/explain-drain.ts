import { byUrgency, explain } from './explain.ts'
import type { DrainView, DrainWhyReport } from './report.ts'

/** The same as for each of its nodes, as one report. */
export function explainDrain({ name, views }: DrainView, nowMs: number): DrainWhyReport {
  const reports = views.map((view) => explain(view, nowMs))
  return {
    about: 'drain',
    name,
    nodes: reports.flatMap(({ node }) => node ?? []),
    pods: reports.flatMap(({ pods }) => pods).toSorted(byUrgency),
  }
}
