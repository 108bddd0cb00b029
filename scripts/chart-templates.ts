import type { Manifest } from '../src/api/kubernetes/meta.ts'
import { featureGateDefaults, featureGateNames, type FeatureGate } from '../src/api/feature-gates.ts'
import {
  admissionObjects,
  isMutatingPolicy,
  isWebhookConfiguration,
  nowhere,
  switchedOff,
  withoutWebhooks,
  type AdmissionObjects,
} from '../src/manager/register/admission-objects.ts'
import { agentAccess } from '../src/manager/install/agent-objects.ts'
import { definitions, installationObjects, releaseObjects } from '../src/manager/install/install.ts'
import { deschedulerTemplate } from './chart-descheduler.ts'
import { anyNamespace, anyTimeout, onlyIf, plain, withValues, type Render } from './chart-text.ts'

// What of the chart follows from src: the same objects as in deploy/, in the namespace of the release.

/** By file name, all below templates/generated of the chart. */
export function chartTemplates(render: Render, header = ''): Record<string, string> {
  const crdCount = definitions().length
  const [, ...access] = installationObjects(anyNamespace).slice(crdCount)
  const { wanted } = objectsFor({})
  const documents = (objects: readonly Manifest[], template: (object: Manifest) => string) =>
    withValues(objects.map((object) => template(object)).join('---\n'))
  const files = {
    'crds.yaml': documents(definitions(), (object) => keptIfAsked(render(keptByHelm(object)))),
    'rbac.yaml': documents(access, (object) => plain(render(object))),
    'policies.yaml': documents(
      wanted.filter((object) => !isWebhookConfiguration(object)),
      (object) => onlyIfKnown(object, gated(render, object)),
    ),
    'webhooks.yaml': documents(wanted.filter(isWebhookConfiguration).map(withoutWebhooks), (object) =>
      onlyIfGated(render, object),
    ),
    'uninstall-rbac.yaml': onlyIf(
      '.Values.uninstall.release',
      documents(releaseObjects(anyNamespace).map(beforeRemoval), (object) => plain(render(object))),
    ),
  }
  return {
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [name, header + text])),
    'descheduler-access.yaml': deschedulerTemplate(render, header),
    'agent-access.yaml': onlyIf(
      'include "lifeboat.hasAgent" .',
      header + documents(agentAccess(anyNamespace), (object) => plain(render(object))),
    ),
  }
}

function objectsFor(gates: Partial<Record<FeatureGate, boolean>>): AdmissionObjects {
  const client = () => nowhere
  return admissionObjects({
    gates: { ...featureGateDefaults, ...gates },
    namespace: anyNamespace,
    client,
    evictTimeBy: ['policy', 'webhook'],
    controllerEvictTimeout: anyTimeout,
  })
}

/** All gates without which the object is not wanted. */
export function gatesOf(object: Manifest): FeatureGate[] {
  const same = (other: Manifest) => other.kind === object.kind && other.metadata.name === object.metadata.name
  return featureGateNames.filter((gate) => !objectsFor({ [gate]: false }).wanted.some(same))
}

/** With a gate off the object is there without effect, as Lifeboat itself leaves it: it may change it, not make it. */
function gated(render: Render, object: Manifest): string {
  const off = switchedOff(object)
  if (off === undefined || gatesOf(object).length === 0) return plain(render(object))
  return `{{- if ${conditionOf(object)} }}\n${plain(render(object))}{{- else }}\n${plain(render(off))}{{- end }}\n`
}

/** An API server that does not know the kind would refuse all of the release. */
function onlyIfKnown(object: Manifest, text: string): string {
  if (!isMutatingPolicy(object)) return text
  return onlyIf(`.Capabilities.APIVersions.Has "${object.apiVersion}/${object.kind}"`, text)
}

/**
 * With a gate off there is no such object: Helm removes it, and with it the webhooks that Lifeboat put in, before the
 * first replica is there that does not answer them.
 */
function onlyIfGated(render: Render, object: Manifest): string {
  return onlyIf(conditionOf(object), plain(render(object)))
}

function conditionOf(object: Manifest): string {
  const conditions = gatesOf(object).map((gate) => `.Values.featureGates.${gate}`)
  return conditions.length === 1 ? (conditions[0] ?? '') : `and ${conditions.join(' ')}`
}

const keepPolicy = { 'helm.sh/resource-policy': 'keep' }

function keptByHelm(object: Manifest): Manifest {
  const annotations = { ...object.metadata.annotations, ...keepPolicy }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

function keptIfAsked(text: string): string {
  return plain(text).replace(
    /^ +helm\.sh\/resource-policy: keep\n/m,
    (line) => `    {{- if .Values.crds.keep }}\n${line}    {{- end }}\n`,
  )
}

/** Made by Helm before the release is removed, for the Job, and gone with it. */
function beforeRemoval(object: Manifest): Manifest {
  const annotations = {
    'helm.sh/hook': 'pre-delete',
    'helm.sh/hook-weight': '0',
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
  }
  return { ...object, metadata: { ...object.metadata, annotations } }
}
