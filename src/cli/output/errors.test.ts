import { describe, expect, test } from 'vitest'
import { KubeError, type KubeErrorKind } from '../../kube/client/errors.ts'
import { KubeconfigError } from '../../kube/auth/kubeconfig-error.ts'
import { TransportError } from '../../kube/client/transport.ts'
import { InstallationError } from '../../manager/install/apply.ts'
import { UnfitServerError } from '../../manager/install/server-version.ts'
import { CommandError, exitCodeMeanings, exitCodes, explainFailure, InterruptedError } from './errors.ts'

const answer = (
  kind: KubeErrorKind,
  message: string,
  more: { reason?: string; causes?: { field?: string; message?: string }[] } = {},
) => new KubeError(message, { kind, reason: 'Some', ...more })

test.each([
  {
    name: 'a right that is missing in the whole cluster is named with whom and on what',
    error: answer(
      'forbidden',
      'nodemaintenances.nodemaintenance.k8s.io is forbidden: User "jane" cannot create resource "nodemaintenances" in API group "nodemaintenance.k8s.io" at the cluster scope',
    ),
    message: 'you (jane) may not create nodemaintenances.nodemaintenance.k8s.io in the whole cluster',
    advice: /verb create on nodemaintenances\.nodemaintenance\.k8s\.io; `kubectl auth can-i create/,
  },
  {
    name: 'a right that is missing in a namespace, and of the core group',
    error: answer(
      'forbidden',
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "shop"',
    ),
    message: 'you (jane) may not list pods in namespace shop',
    advice: /can-i list pods -n shop/,
  },
  {
    name: 'the refusal of a webhook is told in its words',
    error: answer('forbidden', 'admission webhook "a.b" denied the request: jane may not delete node node-1'),
    message: 'refused by the cluster: jane may not delete node node-1',
    advice: /--context/,
  },
  {
    name: 'the refusal of a policy is told in its words',
    error: answer(
      'forbidden',
      `evacuations "a" is forbidden: ValidatingAdmissionPolicy 'x' with binding 'x' denied request: jane may not delete pod shop/a`,
    ),
    message: 'refused by the cluster: jane may not delete pod shop/a',
    advice: /--context/,
  },
  {
    name: 'a refusal in other words stands as it is',
    error: answer('forbidden', 'no'),
    message: 'the API server forbids it: no',
    advice: /Ask who looks after the cluster/,
  },
  {
    name: 'credentials that nobody accepts',
    error: answer('unauthorized', 'Unauthorized'),
    message: 'the API server does not accept your credentials: Unauthorized',
    advice: /Log in again/,
  },
  {
    name: 'no answer',
    error: answer('unreachable', 'GET /api: connect ECONNREFUSED'),
    message: 'GET /api: connect ECONNREFUSED',
    advice: /Is the cluster up/,
  },
  {
    name: 'a kind that nobody serves is a Lifeboat that is not installed',
    error: answer('notFound', 'GET /apis/nodemaintenance.k8s.io: 404 404 page not found', { reason: '' }),
    message: 'Lifeboat is not installed on this cluster',
    advice: /`lifeboat install`/,
  },
  {
    name: 'an object that is gone',
    error: answer('notFound', 'nodemaintenances.nodemaintenance.k8s.io "a" not found', { reason: 'NotFound' }),
    message: 'nodemaintenances.nodemaintenance.k8s.io "a" not found',
    advice: /gone/,
  },
  {
    name: 'what the schema refuses: field, value and what is allowed',
    error: answer('invalid', 'NodeMaintenance "a" is invalid', {
      causes: [
        { field: 'spec.reason', message: 'Too long: may not be more than 1024 bytes' },
        { message: 'spec.stage: Unsupported value: "X": supported values: "Idle"' },
      ],
    }),
    message:
      'the API server refuses it: spec.reason: Too long: may not be more than 1024 bytes; spec.stage: Unsupported value: "X": supported values: "Idle"',
    advice: /Change what it names/,
  },
  {
    name: 'a bad request without causes',
    error: answer('badRequest', 'unable to parse'),
    message: 'the API server refuses it: unable to parse',
    advice: /Change/,
  },
  { name: 'a conflict', error: answer('conflict', 'modified'), message: 'modified', advice: /run the command again/ },
  {
    name: 'a server that fails',
    error: answer('serverError', 'etcd is slow'),
    message: 'the API server failed: etcd is slow',
    advice: /--verbose/,
  },
  {
    name: 'a kubeconfig',
    error: new KubeconfigError('kubeconfig ~/a does not exist'),
    message: 'kubeconfig ~/a does not exist',
    advice: /--kubeconfig or KUBECONFIG/,
  },
  {
    name: 'a broken connection',
    error: new TransportError('socket hang up', { sent: 'maybe' }),
    message: 'socket hang up',
    advice: /Is the cluster up/,
  },
  {
    name: 'a server out of reach',
    error: new InstallationError('cannot reach it', { cause: new TransportError('refused', { sent: 'no' }) }),
    message: 'cannot reach it',
    advice: /Is the cluster up/,
  },
  {
    name: 'a server that is too old',
    error: new UnfitServerError('this is Kubernetes v1.28.0', 'tooOld'),
    message: 'this is Kubernetes v1.28.0',
    advice: /Upgrade the cluster/,
  },
  {
    name: 'a server that is none',
    error: new UnfitServerError('it does not tell its version', 'silent'),
    message: 'it does not tell its version',
    advice: /Is it a Kubernetes/,
  },
  {
    name: 'anything else about the installation',
    error: new InstallationError('two of them'),
    message: 'two of them',
    advice: /Fix this/,
  },
  { name: 'a mistake of ours', error: new TypeError('x is undefined'), message: 'x is undefined', advice: /--verbose/ },
  { name: 'what is no error', error: 'text', message: 'text', advice: /--verbose/ },
])('$name', ({ error, message, advice }) => {
  const explained = explainFailure(error)
  expect(explained.message).toBe(message)
  expect(explained.advice).toMatch(advice)
  expect(explained.exitCode).toBe(1)
  expect(explained.cause).toBe(error)
})

describe('what is said', () => {
  test('is one line without orders to the terminal, whatever the server says', () => {
    expect(explainFailure(answer('serverError', 'one\ntwo\u001B[31m red')).message).toBe(
      'the API server failed: one two red',
    )
  })

  test('by a command stays as it is', () => {
    const error = new CommandError('what', { advice: 'do', exitCode: exitCodes.usage })
    expect(explainFailure(error)).toBe(error)
  })

  test('of an interruption has its own exit code', () => {
    expect(explainFailure(new InterruptedError()).exitCode).toBe(130)
  })
})

test('every exit code has a meaning', () => {
  expect(exitCodeMeanings.map(([code]) => code)).toEqual(Object.values(exitCodes))
})
