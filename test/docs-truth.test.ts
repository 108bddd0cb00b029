import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { prometheusDeschedulerMetrics } from '../src/descheduler/metrics.ts'
import { openLifeboatGround } from './build/lifeboat.ts'

// Numbers and tables in the docs, compared with the code in both directions: what the docs lack fails, and what only
// the docs have fails too.

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFile(join(root, path), 'utf8')

const docs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
const pages = ['README.md', 'CONTRIBUTING.md', ...docs]

/** The anchors that a page has, as GitHub makes them of its headings. */
function anchorsOf(page: string): Set<string> {
  const headings = page.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)
  const names = Array.from(headings, ([, heading = '']) => heading.toLowerCase().replaceAll(/[^\w\s-]/g, ''))
  return new Set(names.map((name) => name.trim().replaceAll(' ', '-')))
}

test.each(pages)('%s links to headings that are there', async (page) => {
  const links = Array.from((await read(page)).matchAll(/\]\(([^)\s#:]*)#([^)\s]+)\)/g))
  const missing: string[] = []
  for (const [, path = '', anchor = ''] of links) {
    const target = path === '' ? page : join(dirname(page), path)
    if (!anchorsOf(await read(target)).has(anchor)) missing.push(`${target}#${anchor}`)
  }
  expect(missing).toEqual([])
})

/** From a heading to the next of its level or above. */
function section(page: string, heading: string): string {
  const [, rest = ''] = page.split(`\n## ${heading}\n`)
  return rest.split(/^## /m)[0] ?? ''
}

/** The cells of each row of the tables in it, without headers. */
function rowsOf(part: string): string[][] {
  const lines = part.split('\n').filter((line) => line.startsWith('| '))
  const rows = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
  return rows.filter((_, index) => !isRule(lines[index]) && !isRule(lines[index + 1]))
}

const isRule = (line: string | undefined): boolean => /^\| -+ \|/.test(line ?? '')

/** Name and labels of each metric, as one text: `node_maintenances: stage`. */
function registered(registry: Registry): string[] {
  return registry.getMetricsAsArray().map((metric) => {
    const { name, labelNames = [] } = metric as { name: string; labelNames?: readonly string[] }
    return `${name}: ${labelNames.join(', ')}`
  })
}

const documented = (part: string): string[] =>
  rowsOf(part).map(([name = '', labels = '']) => `${name.replaceAll('`', '')}: ${labels}`)

async function registeredByManager(): Promise<string[]> {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const { manager, registry } = await ground.open()
  await ground.until(manager.ready())
  return registered(registry)
}

describe('metrics and their labels', async () => {
  const found = await registeredByManager()

  test('docs/operations.md has those of the controller, and no others', async () => {
    const isQueue = (metric: string) => metric.startsWith('workqueue_')
    const written = documented(section(await read('docs/operations.md'), 'Metrics'))
    expect(found.filter(isQueue).every((metric) => metric.endsWith(': name'))).toBe(true)
    expect(written.filter(isQueue)).toEqual(['workqueue_*: name'])
    const others = (metrics: readonly string[]) => metrics.filter((metric) => !isQueue(metric)).toSorted()
    expect(others(found).length).toBeGreaterThan(15)
    expect(others(written)).toEqual(others(found))
  })

  test('docs/descheduler.md has those of the descheduler, and no others', async () => {
    const registry = new Registry()
    prometheusDeschedulerMetrics(registry, { mode: 'evacuate', version: '1.2.3', inProgress: () => [] })
    const written = documented(section(await read('docs/descheduler.md'), 'Metrics'))
    expect(written.toSorted()).toEqual(registered(registry).toSorted())
  })
})

describe('dependencies', () => {
  test.each([
    { heading: 'At run time', dependencies: packageJson.dependencies },
    { heading: 'In development', dependencies: packageJson.devDependencies },
  ])('docs/dependencies.md has those of package.json: $heading', async ({ heading, dependencies }) => {
    const rows = rowsOf(section(await read('docs/dependencies.md'), heading))
    const written = rows.flatMap(([names = '']) => names.split(', '))
    expect(written.toSorted()).toEqual(Object.keys(dependencies).toSorted())
    expect(rows.filter(([, why = '']) => why.length < 5)).toEqual([])
  })

  test('a page that counts the libraries of run time counts them right', async () => {
    const numbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven']
    const texts = await Promise.all(pages.map(read))
    const counts = texts.flatMap((text) =>
      Array.from(text.matchAll(/(\w+) libraries at run time/gi), ([, count]) => count),
    )
    // Node comes by its npm package, and is no library.
    const libraries = Object.keys(packageJson.dependencies).filter((name) => name !== 'node').length
    expect(counts.length).toBeGreaterThan(0)
    expect(counts.filter((count) => count !== numbers[libraries] && count !== String(libraries))).toEqual([])
  })
})
