import { parsePolicy } from '../../src/descheduler/policy/parse-policy.ts'
import { isPluginName, pluginForms } from '../../src/descheduler/policy/plugin-args.ts'
import type { DefaultEvictorArgs, PluginArgs, PluginName, Policy } from '../../src/descheduler/policy/policy.ts'
import { renderPolicyProblem } from '../../src/descheduler/policy/problem.ts'

/** A policy in YAML with these top-level fields. */
export function policyText(fields = ''): string {
  return `apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n${fields}`
}

/** A policy with one profile, `p`, that has one plugin with its args in YAML's flow style. */
export function policyWithArgs(plugin: string, args: string): string {
  const point = isPluginName(plugin) ? pluginForms[plugin].extensionPoint : 'filter'
  const config = `{ name: ${plugin}, args: ${args} }`
  return policyText(
    `profiles: [{ name: p, pluginConfig: [${config}], plugins: { ${point}: { enabled: [${plugin}] } } }]`,
  )
}

/** What is wrong with a policy, line by line. */
export function problemsIn(text: string): readonly string[] {
  const parsed = parsePolicy(text)
  return 'problems' in parsed ? parsed.problems.map(renderPolicyProblem) : []
}

/** What is wrong with the args of a plugin, without the beginning that every line has. */
export function problemsInArgs(plugin: string, args: string): readonly string[] {
  const beginning = `profile p, plugin ${plugin}: `
  return problemsIn(policyWithArgs(plugin, args)).map((line) =>
    line.startsWith(beginning) ? line.slice(beginning.length) : `elsewhere: ${line}`,
  )
}

export function parsedPolicy(text: string): Policy {
  const parsed = parsePolicy(text)
  if ('policy' in parsed) return parsed.policy
  throw new Error(parsed.problems.map(renderPolicyProblem).join('\n'))
}

export function parsedArgs<Name extends PluginName>(plugin: Name, args: string): PluginArgs[Name] {
  const [profile] = parsedPolicy(policyWithArgs(plugin, args)).profiles
  const enabled = [...(profile?.deschedule ?? []), ...(profile?.balance ?? [])].find(({ name }) => name === plugin)
  return enabled?.args as PluginArgs[Name]
}

export function parsedEvictor(args: string): DefaultEvictorArgs {
  const [profile] = parsedPolicy(policyWithArgs('DefaultEvictor', args)).profiles
  if (profile === undefined) throw new Error('the policy has no profile')
  return profile.defaultEvictor
}
