import type { ApiServer } from '../server/api-server.ts'
import type { ResourceDefinition } from '../server/definition.ts'
import type { Definitions } from '../server/definitions.ts'
import { ApiFailure } from '../server/failure.ts'
import type { Method } from '../../kube/client/transport.ts'
import { apiVersionOf } from '../../api/kubernetes/resources.ts'
import type { Status } from '../../api/kubernetes/meta.ts'
import type { User } from '../server/request.ts'
import type { Stored } from '../server/store.ts'
import type { ControllerApi, ObjectName } from './controller.ts'
import { nameOf } from './ownership.ts'

/** Whom the controllers act as: a member of system:masters, as a real controller manager may be. */
export const controllerUser: User = {
  name: 'system:kube-controller-manager',
  groups: ['system:masters', 'system:authenticated'],
}

/** What controllers write with: the API server itself, one call away. */
export function serverApi(server: ApiServer, definitions: Definitions): ControllerApi {
  const send = async (
    method: Method,
    resource: string,
    key: Partial<ObjectName>,
    body: unknown,
    options: { subresource?: string; contentType?: string } = {},
  ) => {
    const definition = definitions.byId(resource)
    if (definition === undefined) throw new Error(`there is no kind ${resource}`)
    const answer = await server.handle({
      method,
      path: pathOf(definition, key, options.subresource),
      query: {},
      headers: { 'content-type': options.contentType ?? 'application/json' },
      body,
      user: controllerUser,
      signal: undefined,
    })
    if (answer.kind !== 'response') throw new Error(`${resource}: an answer was expected, not a watch`)
    if (answer.status >= 300) throw failureOf(answer.status, answer.body as Status)
    return answer.body as Stored
  }
  return {
    create: (resource, object) => send('POST', resource, namespaceOf(object.metadata.namespace), object),
    replace: (resource, object, subresource) =>
      send('PUT', resource, nameOf(object.metadata), object, subresource === undefined ? {} : { subresource }),
    mergePatch: (resource, key, patch, subresource) =>
      send('PATCH', resource, key, patch, {
        contentType: 'application/merge-patch+json',
        ...(subresource === undefined ? {} : { subresource }),
      }),
    delete: async (resource, key, options = {}) => void (await send('DELETE', resource, key, options)),
    bind: async (pod, nodeName) =>
      void (await send('POST', 'pods', pod, { target: { name: nodeName } }, { subresource: 'binding' })),
    serves: (apiVersion, kind) =>
      definitions.all().some((definition) => definition.kind === kind && apiVersionOf(definition) === apiVersion),
  }
}

function pathOf(
  definition: ResourceDefinition,
  { namespace, name }: Partial<ObjectName>,
  subresource: string | undefined,
): string {
  const root =
    definition.group === '' ? `/api/${definition.version}` : `/apis/${definition.group}/${definition.version}`
  const segments = [...(namespace === undefined ? [] : ['namespaces', namespace]), definition.plural, name, subresource]
  return [root, ...segments.filter((segment) => segment !== undefined)].join('/')
}

function namespaceOf(namespace: string | undefined): { namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}

function failureOf(code: number, { reason = '', message = '', details }: Status): ApiFailure {
  return new ApiFailure(code, reason, message, details)
}
