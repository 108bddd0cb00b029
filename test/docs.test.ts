import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openLifeboatGround } from './build/lifeboat.ts'

// What the docs say about the code is held to it. Their commands are run elsewhere, on clusters.

const root = join(import.meta.dirname, '..')
const docs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
const pages = ['README.md', 'CONTRIBUTING.md', ...docs]
const read = (path: string) => readFile(join(root, path), 'utf8')

/** The metrics of Lifeboat itself; those of Node and of its process are no news. */
async function metricNames(): Promise<Set<string>> {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const { manager, registry } = await ground.open()
  await ground.until(manager.ready())
  return new Set((await registry.getMetricsAsJSON()).map(({ name }) => name))
}

describe('metrics', async () => {
  const names = await metricNames()

  test('each is in docs/operations.md', async () => {
    const operations = await read('docs/operations.md')
    const own = [...names].filter((name) => !name.startsWith('workqueue_'))
    expect(own.length).toBeGreaterThan(15)
    expect(own.filter((name) => !operations.includes(`\`${name}\``))).toEqual([])
  })

  test('docs/operations.md has no other', async () => {
    const rows = (await read('docs/operations.md')).matchAll(/^\| `([a-z_]+)`/gm)
    expect([...rows].map(([, name]) => name).filter((name) => !names.has(name ?? ''))).toEqual([])
  })

  test('alerts look at what there is', async () => {
    interface Alert {
      readonly alert: string
      readonly expr: string
      readonly annotations: { readonly summary: string; readonly action: string }
    }
    const { groups } = parse(await read('deploy/alerts.yaml')) as { groups: { rules: Alert[] }[] }
    const alerts = groups.flatMap(({ rules }) => rules)
    expect(alerts.length).toBeGreaterThan(3)
    for (const { alert, expr, annotations } of alerts) {
      const used = expr.match(/\b[a-z]+(_[a-z]+)+\b(?=[{[)])/g) ?? []
      const unknown = used.filter((name) => !names.has(name.replace(/_(bucket|sum|count)$/, '')))
      expect({ alert, used: unknown }).toEqual({ alert, used: [] })
      expect({ alert, count: used.length }).not.toEqual({ alert, count: 0 })
      expect(Object.values(annotations).every((text) => text.length > 0)).toBe(true)
    }
  })
})

test.each(pages)('%s links to what is there', async (page) => {
  const links = [...(await read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '')
  const local = links.filter((target) => !/^[a-z]+:/.test(target) && !target.startsWith('#'))
  const missing = local.filter((target) => !existsSync(resolve(root, dirname(page), target.replace(/#.*$/, ''))))
  expect(missing).toEqual([])
})

test('every page of docs/ can be found from the README', async () => {
  const readme = await read('README.md')
  expect(docs.filter((path) => !readme.includes(`(${path})`))).toEqual([])
})
