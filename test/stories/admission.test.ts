import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { RoleBasedAuthorizer } from '../../src/embedded/server/auth/role-based-authorizer.ts'
import { httpsWebhookCaller } from '../../src/embedded/kubectl/http/webhook-caller.ts'
import type { Transport, TransportResponse } from '../../src/kube/client/transport.ts'
import { buildServer } from '../build/embedded-server.ts'
import type { AdmissionScenario } from '../scenarios/admission-world.ts'
import { authorizerScenarios } from '../scenarios/authorizer-policies.ts'
import { mutatingPolicyScenarios } from '../scenarios/mutating-policies.ts'
import { policyScenarios } from '../scenarios/policies.ts'
import type { Store } from '../../src/embedded/server/store.ts'
import { runScenario } from '../scenarios/run-scenario.ts'
import type { Ground } from '../scenarios/scenario.ts'
import { openWebhookServer, type WebhookServer } from '../scenarios/webhook-server.ts'
import { webhookScenarios } from '../scenarios/webhooks.ts'
import { embeddedApiServer, realApiServer } from './grounds.ts'
import { tellStories } from './tell-stories.ts'

let webhooks: WebhookServer
beforeAll(async () => {
  webhooks = await openWebhookServer()
})
afterAll(() => webhooks[Symbol.asyncDispose]())

const grounds = {
  embedded: async () => {
    const options = {
      webhookCaller: httpsWebhookCaller(),
      authorizer: (store: Store) => new RoleBasedAuthorizer(store),
    }
    return withTimeGoingOn(embeddedApiServer(buildServer, options))
  },
  real: realApiServer,
}

function observe(scenario: AdmissionScenario, ground: Ground, namespace: string): Promise<unknown[]> {
  const heard: string[] = []
  const transport: Transport = {
    request: async (request) => {
      const response = await ground.transport.request({ ...request, body: withBundle(request.body) })
      heard.push(...warningsOf(response))
      return response
    },
    watch: (request) => ground.transport.watch(request),
    close: () => ground.transport.close(),
  }
  const told = {
    name: scenario.name,
    run: (world: Parameters<Parameters<typeof runScenario>[0]['run']>[0]) =>
      scenario.run({
        ...world,
        observeWarnings: () => world.observe('warnings', heard.splice(0)),
        hook: (path, handler) => ({
          url: webhooks.handle(`/${namespace}${path}`, handler),
          caBundle: bundlePlaceholder,
        }),
      }),
  }
  return runScenario(told, { ...ground, transport }, namespace)
}

/** Put in last: a scenario's own placeholders may be part of it by chance. */
const bundlePlaceholder = 'CABUNDLE'

function withBundle(body: unknown): unknown {
  if (body === undefined) return undefined
  return JSON.parse(JSON.stringify(body).replaceAll(bundlePlaceholder, webhooks.caBundle)) as unknown
}

function warningsOf({ headers: { warning = [] } }: TransportResponse): string[] {
  const values = [warning].flat().flatMap((value) => value.split(/, (?=299 - ")/))
  return values.map((value) => value.replace(/^299 - "(.*)"$/, '$1').replaceAll(/\\(.)/g, '$1'))
}

const stepMs = 5

/** A webhook answers in real time, so the virtual clock must not stand still while somebody waits for one. */
function withTimeGoingOn(ground: Ground): Ground {
  const transport: Transport = {
    request: async (request) => {
      const answer = ground.transport.request(request)
      const isSettled = answer.then(
        () => true,
        () => true,
      )
      while (!(await Promise.race([isSettled, pause(stepMs, false)]))) await ground.pass(stepMs)
      return answer
    },
    watch: (request) => ground.transport.watch(request),
    close: () => ground.transport.close(),
  }
  return { ...ground, transport, [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose]() }
}

tellStories({
  stories: {
    policies: policyScenarios,
    'mutating-policies': mutatingPolicyScenarios,
    'rights-in-expressions': authorizerScenarios,
    webhooks: webhookScenarios,
  },
  grounds,
  tell: observe,
})
