import { describe, expect, test } from 'vitest'
import { parsePrometheusAnswer, PrometheusProblem } from './prometheus-answer.ts'

const answerOf = (body: unknown, status = 200) => ({ status, location: undefined, text: JSON.stringify(body) })
const vectorOf = (...result: unknown[]) => answerOf({ status: 'success', data: { resultType: 'vector', result } })
const sample = (instance: string, value: string) => ({
  metric: { instance, job: 'node' },
  value: [1_770_000_000.1, value],
})

describe('a vector', () => {
  test.each<{ name: string; values: Record<string, string>; expected: Record<string, number> }>([
    { name: 'gives a share for each node', values: { n1: '0.57', n2: '0.42' }, expected: { n1: 0.57, n2: 0.42 } },
    { name: 'may have both ends', values: { n1: '0', n2: '1' }, expected: { n1: 0, n2: 1 } },
    { name: 'may write small numbers with an exponent', values: { n1: '1e-05' }, expected: { n1: 0.00001 } },
    { name: 'may be empty', values: {}, expected: {} },
    {
      name: 'names the node as the label does',
      values: { '10.0.0.1:9100': '0.5' },
      expected: { '10.0.0.1:9100': 0.5 },
    },
  ])('$name', ({ values, expected }) => {
    const answer = vectorOf(...Object.entries(values).map(([node, value]) => sample(node, value)))
    expect(Object.fromEntries(parsePrometheusAnswer(answer))).toEqual(expected)
  })

  test.each<{ name: string; samples: unknown[]; expected: string }>([
    {
      name: 'a value above 1',
      samples: [sample('n1', '0.5'), sample('n2', '1.01')],
      expected: 'the sample {instance="n2", job="node"} is 1.01, not between 0 and 1',
    },
    {
      name: 'a value below 0',
      samples: [sample('n1', '-0.1')],
      expected: 'the sample {instance="n1", job="node"} is -0.1, not between 0 and 1',
    },
    {
      name: 'no number',
      samples: [sample('n1', 'NaN')],
      expected: 'the sample {instance="n1", job="node"} is NaN, not between 0 and 1',
    },
    {
      name: 'an infinite value',
      samples: [sample('n1', '+Inf')],
      expected: 'the sample {instance="n1", job="node"} is +Inf, not between 0 and 1',
    },
    {
      name: 'an empty value',
      samples: [sample('n1', '')],
      expected: 'the sample {instance="n1", job="node"} is without a value, not between 0 and 1',
    },
    {
      name: 'a histogram',
      samples: [{ metric: { instance: 'n1' }, histogram: [1, {}] }],
      expected: 'the sample {instance="n1"} is without a value, not between 0 and 1',
    },
    {
      name: 'a sample without the label',
      samples: [{ metric: { node: 'n1', job: 'node' }, value: [1, '0.5'] }],
      expected: 'the sample {job="node", node="n1"} has no label instance to name a node',
    },
    {
      name: 'a sample without labels',
      samples: [{ metric: {}, value: [1, '0.5'] }],
      expected: 'the sample {} has no label instance to name a node',
    },
    {
      name: 'two samples for a node',
      samples: [sample('n1', '0.5'), { ...sample('n1', '0.6'), metric: { instance: 'n1', job: 'other' } }],
      expected: 'node n1 has more than one sample',
    },
    { name: 'something else', samples: ['x'], expected: 'the sample {} has no label instance to name a node' },
  ])('refuses $name', ({ samples, expected }) => {
    expect(() => parsePrometheusAnswer(vectorOf(...samples))).toThrow(new PrometheusProblem(expected))
  })
})

describe('an answer that is no vector', () => {
  test.each<{ name: string; answer: Parameters<typeof parsePrometheusAnswer>[0]; expected: string }>([
    {
      name: 'a scalar',
      answer: answerOf({ status: 'success', data: { resultType: 'scalar', result: [1, '0.5'] } }),
      expected: 'the query must give a vector, and gives a scalar',
    },
    {
      name: 'a matrix',
      answer: answerOf({ status: 'success', data: { resultType: 'matrix', result: [] } }),
      expected: 'the query must give a vector, and gives a matrix',
    },
    {
      name: 'an error in the query',
      answer: answerOf({ status: 'error', errorType: 'bad_data', error: 'parse error:\nunexpected "("' }, 400),
      expected: 'the query failed, bad_data: parse error: unexpected "("',
    },
    {
      name: 'an error without a status that says so',
      answer: answerOf({ status: 'error', errorType: 'timeout', error: 'query timed out' }),
      expected: 'the query failed, timeout: query timed out',
    },
    {
      name: 'a token that is refused',
      answer: { status: 401, location: undefined, text: 'Unauthorized\n' },
      expected: 'the answer is 401, the token is not accepted: Unauthorized',
    },
    {
      name: 'a right that is missing',
      answer: { status: 403, location: undefined, text: '' },
      expected: 'the answer is 403, the token is not accepted',
    },
    {
      name: 'a proxy without a server',
      answer: { status: 502, location: undefined, text: 'x'.repeat(1_000) },
      expected: `the answer is 502: ${'x'.repeat(299)}…`,
    },
    {
      name: 'a status that looks well',
      answer: { status: 204, location: undefined, text: '' },
      expected: 'the answer is 204',
    },
    {
      name: 'a redirect to a page for logging in',
      answer: { status: 302, location: 'https://login.example/start?state=secret', text: '' },
      expected:
        'the answer is 302 and points to https://login.example/start; redirects are not followed, so that the token stays with its host',
    },
    {
      name: 'a redirect on the same host',
      answer: { status: 308, location: '/other', text: '' },
      expected: 'the answer is 308; redirects are not followed, so that the token stays with its host',
    },
    {
      name: 'a page',
      answer: { status: 200, location: undefined, text: '<html>' },
      expected: 'the answer is not one of the query API of Prometheus',
    },
    {
      name: 'JSON of another kind',
      answer: answerOf(null),
      expected: 'the answer is not one of the query API of Prometheus',
    },
    {
      name: 'a success without data',
      answer: answerOf({ status: 'success' }),
      expected: 'the answer is not one of the query API of Prometheus',
    },
  ])('is refused: $name', ({ answer, expected }) => {
    expect(() => parsePrometheusAnswer(answer)).toThrow(new PrometheusProblem(expected))
  })
})
