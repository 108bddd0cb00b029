import { registerHooks } from 'node:module'
import { evictionScenarios } from '../scenarios/eviction.ts'
import { runScenario } from '../scenarios/run-scenario.ts'
import { embeddedApiServer } from '../stories/grounds.ts'
import type { buildServer } from './embedded-server.ts'
import { evictionMutations } from './mutants.ts'

// A program: prints what the stories about evictions observe, first of the embedded API server as it is, then of one for
// each planted deviation. A mutant is the same modules once more, under addresses that name it, with one text replaced.

const mutantOf = (url: string | undefined) => (url === undefined ? null : new URL(url).searchParams.get('mutant'))
const planted = new Set<string>()

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    const mutant = mutantOf(context.parentURL)
    const isOurs = resolved.url.startsWith('file:') && !resolved.url.includes('/node_modules/')
    if (mutant === null || !isOurs || mutantOf(resolved.url) !== null) return resolved
    return { ...resolved, url: `${resolved.url}?mutant=${mutant}` }
  },
  load: (url, context, next) => {
    const loaded = next(url, context)
    const mutation = evictionMutations[Number(mutantOf(url) ?? -1)]
    if (mutation === undefined || !new URL(url).pathname.endsWith(`/${mutation.file}`)) return loaded
    const text = Buffer.from(loaded.source as Uint8Array).toString()
    const found = text.split(mutation.find).length - 1
    if (found !== 1) {
      throw new Error(`mutation "${mutation.name}" finds its place ${found} times, not once: bring it up to date`)
    }
    planted.add(mutation.name)
    return { ...loaded, source: text.replace(mutation.find, () => mutation.replace) }
  },
})

async function observe(address: string): Promise<unknown[]> {
  const { buildServer: build } = (await import(address)) as { buildServer: typeof buildServer }
  const seen: unknown[] = []
  for (const scenario of evictionScenarios) {
    const ground = embeddedApiServer(build)
    seen.push(await runScenario(scenario, ground, 'mutant').catch((error: unknown) => String(error)))
  }
  return seen
}

const observed = [await observe('./embedded-server.ts')]
for (const [at, { name }] of evictionMutations.entries()) {
  observed.push(await observe(`./embedded-server.ts?mutant=${at}`))
  if (!planted.has(name)) throw new Error(`mutation "${name}" was not planted: nobody imports its file`)
}
console.log(JSON.stringify(observed))
