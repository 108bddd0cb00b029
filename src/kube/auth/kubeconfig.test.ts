import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { systemClock } from '../../runtime/system.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import { loadKubeconfig, type LoadKubeconfigOptions } from './kubeconfig.ts'
import { systemFiles, systemProcesses } from './system-files.ts'

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const account = '/var/run/secrets/kubernetes.io/serviceaccount'
const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }
const mounted = { [`${account}/token`]: 'pod', [`${account}/ca.crt`]: pem, [`${account}/namespace`]: 'lifeboat' }

/** A kubeconfig with one context, cluster and user, all of one name. */
const config = (name: string, options: { user?: string; cluster?: string; namespace?: string } = {}) => `
apiVersion: v1
kind: Config
current-context: ${name}
contexts: [{ name: ${name}, context: { cluster: ${name}, user: ${name}, namespace: ${options.namespace ?? '""'} } }]
clusters: [{ name: ${name}, cluster: { server: 'https://${name}', ${options.cluster ?? ''} } }]
users: [{ name: ${name}, user: { ${options.user ?? `token: ${name}-token`} } }]
`

type Row = {
  files?: Record<string, string>
  environment?: Record<string, string>
  path?: string
  context?: string
}

async function load(row: Row) {
  const options: LoadKubeconfigOptions = {
    environment: row.environment ?? {},
    homeFolder: '/home/jane',
    clock: new VirtualClock(),
    files: {
      readText: async (path) => {
        const text = row.files?.[path]
        if (text === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' })
        if (text === 'FORBIDDEN') throw Object.assign(new Error('no'), { code: 'EACCES' })
        return text
      },
    },
    processes: { run: async () => ({ kind: 'notFound' }) },
    ...(row.path === undefined ? {} : { path: row.path }),
    ...(row.context === undefined ? {} : { context: row.context }),
  }
  const { credentials, ...access } = await loadKubeconfig(options)
  return { ...access, ...(await credentials.current()) }
}

const home = '/home/jane/.kube/config'
const two = { '/a': config('one'), '/b/b': config('two') }

describe('finds', () => {
  test.each<Row & { name: string; expected: object }>([
    {
      name: 'the file of the home folder',
      files: { [home]: config('home') },
      expected: {
        server: 'https://home',
        namespace: 'default',
        token: 'home-token',
        tls: { insecureSkipVerify: false },
      },
    },
    {
      name: 'KUBECONFIG before the home folder',
      files: { [home]: config('home'), ...two },
      environment: { KUBECONFIG: '/a' },
      expected: { server: 'https://one' },
    },
    {
      name: '--kubeconfig before KUBECONFIG',
      files: two,
      environment: { KUBECONFIG: '/a' },
      path: '/b/b',
      expected: { server: 'https://two' },
    },
    {
      name: 'the home folder when KUBECONFIG is empty',
      files: { [home]: config('home') },
      environment: { KUBECONFIG: '' },
      expected: { server: 'https://home' },
    },
    {
      name: 'the first current-context of a list',
      files: two,
      environment: { KUBECONFIG: '/b/b:/a' },
      expected: { server: 'https://two' },
    },
    {
      name: 'a context of a later file of a list',
      files: two,
      environment: { KUBECONFIG: '/a:/b/b' },
      context: 'two',
      expected: { server: 'https://two', token: 'two-token' },
    },
    {
      name: 'what is there of a list with gaps, blanks and repetitions',
      files: two,
      environment: { KUBECONFIG: '/none:/a::/a' },
      expected: { server: 'https://one' },
    },
    {
      name: 'what is there of a list with an empty file',
      files: { ...two, '/empty': '' },
      environment: { KUBECONFIG: '/empty:/a' },
      expected: { server: 'https://one' },
    },
    {
      name: 'the first of two entries of one name',
      files: { '/a': config('x', { user: 'token: first' }), '/b/b': config('x', { user: 'token: second' }) },
      environment: { KUBECONFIG: '/a:/b/b' },
      expected: { token: 'first' },
    },
    {
      name: 'files relative to the kubeconfig that names them',
      files: {
        ...two,
        '/b/b': config('two', { user: 'tokenFile: secrets/token', cluster: 'certificate-authority: ../ca.pem' }),
        '/b/secrets/token': 'relative',
        '/ca.pem': pem,
      },
      environment: { KUBECONFIG: '/a:/b/b' },
      context: 'two',
      expected: { token: 'relative', tls: { insecureSkipVerify: false, certificateAuthority: pem } },
    },
    {
      name: "the context's namespace",
      files: { [home]: config('home', { namespace: 'shop' }) },
      expected: { namespace: 'shop' },
    },
    {
      name: 'the kubeconfig before the pod',
      files: { [home]: config('home'), ...mounted },
      environment: inPod,
      expected: { server: 'https://home' },
    },
    {
      name: 'the pod when there is no kubeconfig',
      files: mounted,
      environment: inPod,
      expected: { server: 'https://10.0.0.1:443', namespace: 'lifeboat', token: 'pod' },
    },
    {
      name: 'the pod when KUBECONFIG names nothing that is there',
      files: mounted,
      environment: { ...inPod, KUBECONFIG: '/none' },
      expected: { token: 'pod' },
    },
    {
      name: 'the pod when the kubeconfig is empty',
      files: { ...mounted, [home]: '' },
      environment: inPod,
      expected: { token: 'pod' },
    },
    {
      name: 'the good part of a file with a user that we do not support',
      files: {
        [home]: config('home').replace('users: [', 'users: [{ name: old, user: { username: a, password: b } }, '),
      },
      expected: { token: 'home-token' },
    },
  ])('$name', async ({ expected, ...row }) => expect(await load(row)).toMatchObject(expected))
})

describe('refuses in one line', () => {
  test.each<Row & { expected: string }>([
    {
      expected:
        'no cluster to talk to: no ~/.kube/config, and this is not a pod; name a kubeconfig with --kubeconfig or KUBECONFIG',
    },
    {
      environment: { KUBECONFIG: '/none:/home/jane/nothing' },
      expected: 'no cluster to talk to: KUBECONFIG names /none:~/nothing, and there is nothing, and this is not a pod',
    },
    { path: '/none', expected: 'kubeconfig /none does not exist' },
    { path: '/none', files: mounted, environment: inPod, expected: 'kubeconfig /none does not exist' },
    { path: '/empty', files: { '/empty': '\n' }, expected: 'kubeconfig /empty is empty' },
    { files: { [home]: 'FORBIDDEN' }, expected: 'kubeconfig ~/.kube/config may not be read (permission denied)' },
    {
      files: { ...two, '/c': 'FORBIDDEN' },
      environment: { KUBECONFIG: '/a:/c' },
      expected: 'kubeconfig /c may not be read (permission denied)',
    },
    {
      files: { ...two, '/c': 'a: [' },
      environment: { KUBECONFIG: '/a:/c' },
      expected: 'kubeconfig /c: not valid YAML at line 1, column 5',
    },
    {
      files: { [home]: config('home') },
      context: 'prod',
      expected: 'kubeconfig ~/.kube/config: context "prod" not found; there are: home (choose with --context)',
    },
    {
      files: two,
      environment: { KUBECONFIG: '/a:/b/b' },
      context: 'prod',
      expected: 'kubeconfig /a:/b/b: context "prod" not found; there are: one, two (choose with --context)',
    },
    {
      files: mounted,
      environment: inPod,
      context: 'prod',
      expected: 'no kubeconfig to choose context "prod" from: no ~/.kube/config',
    },
    {
      environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1' },
      files: mounted,
      expected: 'in-cluster service account: KUBERNETES_SERVICE_HOST is set, but KUBERNETES_SERVICE_PORT is not a port',
    },
    {
      environment: inPod,
      expected: `in-cluster service account: token file ${account}/token does not exist`,
    },
    {
      files: { [home]: config('x', { cluster: 'certificate-authority: ca.pem' }) },
      expected: 'kubeconfig ~/.kube/config: cluster "x": certificate-authority /home/jane/.kube/ca.pem does not exist',
    },
    {
      files: { [home]: config('x', { cluster: 'certificate-authority-data: "?"' }) },
      expected: 'kubeconfig ~/.kube/config: cluster "x": certificate-authority-data is not valid base64',
    },
    {
      files: { [home]: config('x', { cluster: 'proxy-url: "http://p"' }) },
      expected: 'kubeconfig ~/.kube/config: cluster "x": proxy-url is not supported',
    },
    {
      files: { [home]: config('x', { user: 'username: a, password: SECRET' }) },
      expected: 'kubeconfig ~/.kube/config: user "x": username is not supported',
    },
    {
      files: { [home]: config('x', { user: 'auth-provider: { name: gcp }' }) },
      expected: 'kubeconfig ~/.kube/config: user "x": auth-provider is not supported',
    },
    {
      files: { [home]: config('x', { user: 'token: SECRET, as: root' }) },
      expected: 'kubeconfig ~/.kube/config: user "x": as is not supported',
    },
    {
      files: { [home]: config('x', { user: 'token: "SECRET\\nSECRET"' }) },
      expected: 'kubeconfig ~/.kube/config: user "x": token has blanks or line breaks in it',
    },
    {
      files: { [home]: config('x', { user: 'exec: { command: aws }' }) },
      expected: 'kubeconfig ~/.kube/config: user "x": exec has no apiVersion',
    },
    {
      files: {
        [home]: config('x', {
          user: 'exec: { apiVersion: client.authentication.k8s.io/v1, command: aws, interactiveMode: Never, installHint: see aws.example }',
        }),
      },
      expected: 'kubeconfig ~/.kube/config: user "x": exec command "aws" not found; see aws.example',
    },
  ])('$expected', async ({ expected, ...row }) => {
    const error: unknown = await load(row).then(String, (reason: unknown) => reason)
    expect(error).toBeInstanceOf(KubeconfigError)
    expect(String(error)).toContain(expected)
    expect(String(error)).not.toMatch(/SECRET|\n/u)
  })
})

test('works with real files and a real plugin', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-kubeconfig-'))
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
  await mkdir(join(folder, 'bin'))
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'real' },
  }
  const plugin = join(folder, 'bin', 'login')
  await writeFile(plugin, `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`)
  await chmod(plugin, 0o700)
  const user = 'exec: { apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, interactiveMode: Never }'
  await writeFile(join(folder, 'config'), config('real', { user }))
  const access = await loadKubeconfig({
    path: join(folder, 'config'),
    environment: { PATH: process.env['PATH'] },
    homeFolder: folder,
    files: systemFiles,
    processes: systemProcesses,
    clock: systemClock,
  })
  expect(access.server).toBe('https://real')
  expect(await access.credentials.current()).toEqual({ token: 'real' })
})
