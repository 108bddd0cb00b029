import { describe, expect, test } from 'vitest'
import type { FileReader } from '../../kube/auth/system-files.ts'
import { createAuthority } from '../../runtime/certificates.ts'
import { serveOnLoopback } from '../../../test/build/loopback-server.ts'
import { HttpProblem, undiciGet, type HttpGetRequest } from './http-get.ts'

const withFiles = (files: Readonly<Record<string, string>>, code = 'ENOENT'): FileReader => ({
  readText: async (path) => files[path] ?? Promise.reject(Object.assign(new Error('unreadable'), { code })),
})

const never = new AbortController().signal

function get(url: string, options: Partial<HttpGetRequest> & { files?: FileReader } = {}) {
  const { files = withFiles({}), ...request } = options
  const send = undiciGet({ files, certificateAuthorityPath: '/ca.crt' })
  return send({ url: new URL(url), headers: {}, bodyBytesMax: 1_000, signal: never, ...request })
}

describe('a request', () => {
  test('carries path, query and headers, and brings back the text', async () => {
    await using server = await serveOnLoopback((_, response) => response.end('grüezi'))
    const answer = await get(`${server.url}/below/it?query=a%2Bb`, { headers: { authorization: 'Bearer secret' } })
    expect(answer).toEqual({ status: 200, location: undefined, text: 'grüezi' })
    const [request] = server.requests
    expect(request?.method).toBe('GET')
    expect(request?.url).toBe('/below/it?query=a%2Bb')
    expect(request?.headers.authorization).toBe('Bearer secret')
  })

  test('does not follow a redirect', async () => {
    await using server = await serveOnLoopback((_, response) => response.writeHead(302, { location: '/login' }).end())
    expect(await get(server.url)).toEqual({ status: 302, location: '/login', text: '' })
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    { name: 'as large as allowed is taken', bytes: 1_000, expected: 1_000 },
    { name: 'one byte larger is refused', bytes: 1_001, expected: 'the answer is larger than 1000 bytes' },
    { name: 'far larger is refused', bytes: 5_000_000, expected: 'the answer is larger than 1000 bytes' },
  ])('an answer $name', async ({ bytes, expected }) => {
    await using server = await serveOnLoopback((_, response) => response.end('x'.repeat(bytes)))
    const outcome = await get(server.url).then(
      ({ text }) => text.length,
      (error: unknown) => (error instanceof HttpProblem ? error.message : error),
    )
    expect(outcome).toBe(expected)
  })

  test('says so if there is no server', async () => {
    const server = await serveOnLoopback(() => {})
    await server[Symbol.asyncDispose]()
    await expect(get(server.url)).rejects.toThrow(HttpProblem)
    await expect(get(server.url)).rejects.toThrow('ECONNREFUSED')
  })

  test('says so if the connection breaks', async () => {
    await using server = await serveOnLoopback((request) => request.socket.destroy())
    await expect(get(server.url)).rejects.toThrow(HttpProblem)
  })

  test.each([
    { name: 'before the answer', begin: false },
    { name: 'in the middle of the answer', begin: true },
  ])('ends with the signal, $name', async ({ begin }) => {
    const arrived = Promise.withResolvers<void>()
    await using server = await serveOnLoopback((_, response) => {
      if (begin) response.write('half of ')
      arrived.resolve()
    })
    const stop = new AbortController()
    const answer = get(server.url, { signal: stop.signal })
    await arrived.promise
    stop.abort(new Error('enough'))
    await expect(answer).rejects.toThrow('enough')
  })

  test('is not sent after the signal', async () => {
    await using server = await serveOnLoopback((_, response) => response.end())
    await expect(get(server.url, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
    expect(server.requests).toEqual([])
  })
})

describe('a server with TLS', () => {
  const authority = createAuthority('test', Date.now())
  const certificate = authority.issue({ commonName: 'prometheus', usage: 'server', addresses: ['127.0.0.1'] })
  const serve = () => serveOnLoopback((_, response) => response.end('ok'), certificate)

  test('is trusted if the file has its authority', async () => {
    await using server = await serve()
    const files = withFiles({ '/ca.crt': authority.certificate })
    expect((await get(server.url, { files })).text).toBe('ok')
  })

  test.each([
    { name: 'there is no file', files: withFiles({}), words: 'certificate' },
    {
      name: 'the file has another authority',
      files: withFiles({ '/ca.crt': createAuthority('other', Date.now()).certificate }),
      words: 'certificate',
    },
    {
      name: 'the file may not be read',
      files: withFiles({}, 'EACCES'),
      words: '/ca.crt may not be read (permission denied)',
    },
  ])('is not asked if $name', async ({ files, words }) => {
    await using server = await serve()
    const answer = get(server.url, { files })
    await expect(answer).rejects.toThrow(HttpProblem)
    await expect(answer).rejects.toThrow(words)
    expect(server.requests).toEqual([])
  })
})
