import { knowsDaemonSets, knowsMaintenances, type FeatureGates } from '../api/feature-gates.ts'
import type { ClaimsLookup } from '../evacuation-client/instigator.ts'
import type { Kube } from '../kube/client/client.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { parseAdmissionReview, type AdmissionRequest } from './reviews/admission-request.ts'
import { renderReview, type AdmissionReviewResponse, type Answer } from './reviews/answer.ts'
import { holdPod } from './reviews/hold-pod.ts'
import { interceptEviction } from './reviews/intercept-eviction.ts'
import { kubeLookups, type Lookups } from './reviews/lookups.ts'
import { makeEvictTime } from './reviews/make-evict-time.ts'
import { noAdmissionMetrics, type AdmissionMetrics } from './metrics.ts'
import { mutateEvacuation } from './reviews/mutate-evacuation.ts'
import { mutateNodeMaintenance } from './reviews/mutate-node-maintenance.ts'
import { evictorLookup } from './rights/evictor.ts'
import { nodeDeletionRight } from './rights/node-deletion-right.ts'
import { podDeletionRight } from './rights/pod-deletion-right.ts'
import { validateNodeMaintenanceRequest, type ListNodes } from './reviews/validate-node-maintenance-request.ts'
import { webhookPaths } from './serving/webhook-configurations.ts'

/** Takes an AdmissionReview as it was sent and answers with one. A rejection means that there is no answer. */
export type ReviewHandler = (review: unknown, signal: AbortSignal) => Promise<AdmissionReviewResponse>

/** By path: for the HTTPS listener, or for calls within this process. */
export type ReviewHandlers = ReadonlyMap<string, ReviewHandler>

export interface AdmissionOptions {
  readonly kube: Pick<Kube, 'ask' | 'get' | 'create' | 'patch'>
  readonly clock: Clock
  readonly log: Log
  readonly gates: FeatureGates
  /** For pods that say nothing themselves. */
  readonly controllerEvictTimeoutMs: number
  /** None by default. */
  readonly claims?: ClaimsLookup
  /** For evictions of DaemonSet pods, where some seconds do not matter. The API server is asked each time if left out. */
  readonly recentNode?: Lookups['node']
  readonly listNodes: ListNodes
  readonly metrics?: AdmissionMetrics
}

type Review = (request: AdmissionRequest, signal: AbortSignal) => Promise<Answer>

export function openAdmission(options: AdmissionOptions): ReviewHandlers {
  const { kube, clock, log, gates, listNodes, claims = async () => [] } = options
  const lookups = kubeLookups(kube)
  const mayDeletePod = podDeletionRight({ kube, clock })
  const nodeRight = nodeDeletionRight({ kube, clock })
  const { recentNode } = options
  const recent = recentNode === undefined ? lookups : { ...lookups, node: recentNode }
  const interception = { kube, claims, log, lookups: recent }
  const evictorOf = evictorLookup({ kube, clock })
  const isPodEvictPolicyOn = gates.PodEvictPolicy
  const reviews: [path: string, isOn: boolean, review: Review][] = [
    [
      webhookPaths.mutateEvacuations,
      gates.EvacuationAPI,
      (request, signal) => mutateEvacuation(request, { lookups, claims, mayDeletePod }, signal),
    ],
    [
      webhookPaths.interceptEvictions,
      gates.EvacuationAPI && gates.EvictionInterception,
      (request, signal) => {
        const evictor = (stop: AbortSignal) => evictorOf(request.userInfo, request.namespace, stop)
        return interceptEviction(
          request,
          { ...interception, isPodEvictPolicyOn, evictor, nowMs: clock.nowMs() },
          signal,
        )
      },
    ],
    [webhookPaths.holdPods, knowsDaemonSets(gates), (request, signal) => holdPod(request, { lookups }, signal)],
    [
      webhookPaths.makeEvictTime,
      gates.EvacuationAPI && gates.PodEvictPolicy,
      async (request) => makeEvictTime(request, options.controllerEvictTimeoutMs),
    ],
    [webhookPaths.mutateNodeMaintenances, knowsMaintenances(gates), async (request) => mutateNodeMaintenance(request)],
    [
      webhookPaths.validateNodeMaintenances,
      knowsMaintenances(gates),
      (request, signal) => validateNodeMaintenanceRequest(request, { listNodes, clock, ...nodeRight }, signal),
    ],
  ]
  return new Map(reviews.filter(([, isOn]) => isOn).map(([path, , review]) => [path, handlerOf(path, review, options)]))
}

function handlerOf(path: string, review: Review, options: AdmissionOptions): ReviewHandler {
  const { clock, log, metrics = noAdmissionMetrics } = options
  return async (sent, signal) => {
    const startMs = clock.monotonicMs()
    const reviewed = (outcome: 'allowed' | 'denied' | 'failed') =>
      metrics.reviewed(path, outcome, clock.monotonicMs() - startMs)
    try {
      const request = parseAdmissionReview(sent)
      const answer = await review(request, signal)
      reviewed(answer.allowed ? 'allowed' : 'denied')
      if (!answer.allowed) log.info(fieldsOf(path, request, answer.message), 'refused a request')
      return renderReview(request.uid, answer)
    } catch (error) {
      reviewed('failed')
      log.warn({ webhook: path, err: error }, 'could not answer a review')
      throw error
    }
  }
}

function fieldsOf(webhook: string, { namespace, name, operation, userInfo }: AdmissionRequest, message: string) {
  return { webhook, namespace, name, operation, user: userInfo.username, answer: message }
}
