import { expect, test } from 'vitest'
import { nodes } from '../../api/kubernetes/resources.ts'
import { pagesOf } from './list-pages.ts'
import { tableRequest } from './table.ts'
import type { TransportRequest } from './transport.ts'

test('every page is asked for as the first, and begins where the last ended', async () => {
  const sent: TransportRequest[] = []
  const send = async (request: TransportRequest) => {
    sent.push(request)
    return { metadata: sent.length < 3 ? { continue: `page-${sent.length}` } : { continue: '' } }
  }
  const options = { pageSize: 2, labelSelector: 'zone=a' }
  for await (const _page of pagesOf(send, nodes, options, tableRequest));
  expect(sent.map(({ query }) => query?.['continue'])).toEqual([undefined, 'page-1', 'page-2'])
  for (const { path, headers, query } of sent) {
    expect(path).toBe('/api/v1/nodes')
    expect(headers).toEqual(tableRequest.headers)
    expect(query).toMatchObject({ limit: '2', labelSelector: 'zone=a', includeObject: 'None' })
  }
})
