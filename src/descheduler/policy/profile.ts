import { readDefaultEvictor } from './default-evictor-args.ts'
import { Fields, suggest } from './fields.ts'
import { defaultEvictor, isPluginName, pluginForms, pluginNames } from './plugin-args.ts'
import type { DefaultEvictorArgs, EnabledPlugin, PluginArgs, Profile } from './policy.ts'
import type { Findings } from './problem.ts'

/** The args in the pluginConfig of a profile. Upstream takes the first entry for each plugin. */
interface Configured {
  readonly evictor: DefaultEvictorArgs
  readonly args: ReadonlyMap<string, PluginArgs[keyof PluginArgs]>
}

const extensionPoints = ['deschedule', 'balance', 'filter', 'preevictionfilter'] as const
type ExtensionPoint = (typeof extensionPoints)[number]
/** Upstream parses them and has no plugin for them. */
const pointsWithoutPlugins = ['presort', 'sort'] as const

/** Args have a type upstream, which may be written down and is never looked at. */
const typeOfArgs = ['kind', 'apiVersion']

const knownPlugins: readonly string[] = [defaultEvictor, ...pluginNames]

/** `place` is its place in the list, which stands for a name that it does not have. */
export function readProfile(entry: Fields, place: string, findings: Findings): Profile {
  const name = entry.text('name')
  const profile = name ?? place
  const report = findings.at({ profile, plugin: undefined })
  const fields = entry.rootedAt({ path: '', report, unknownFields: 'warning' })
  fields.value('name')
  const configured = readConfigured(fields, profile, findings)
  const plugins = fields.object('plugins')
  for (const point of pointsWithoutPlugins) {
    if (plugins?.value(point) !== undefined) plugins.warn(point, 'has no effect: there is no plugin for it')
  }
  const [deschedule = [], balance = []] = extensionPoints.map((point) => readPoint(plugins, point, configured))
  return { name: name ?? '', defaultEvictor: configured.evictor, deschedule, balance }
}

/** Reads every entry, also of a plugin that is not enabled: its errors are errors of the policy. */
function readConfigured(fields: Fields, profile: string, findings: Findings): Configured {
  const argsOf = (plugin: string, value: unknown) =>
    new Fields(value, { path: 'args', report: findings.at({ profile, plugin }), unknownFields: 'problem' })
  const evictors: DefaultEvictorArgs[] = []
  const args = new Map<string, PluginArgs[keyof PluginArgs]>()
  const seen = new Set<string>()
  for (const entry of fields.objects('pluginConfig')) {
    const name = entry.value('name')
    const argFields = argsOf(String(name), entry.value('args'))
    if (name === defaultEvictor) {
      evictors.push(readDefaultEvictor(argFields))
    } else if (typeof name === 'string' && isPluginName(name)) {
      const read = pluginForms[name].read(argFields)
      if (!args.has(name)) args.set(name, read)
    } else {
      const wanted = typeof name === 'string' ? name : ''
      entry.wrong('name', `must be a plugin${suggest(wanted, knownPlugins, { orElse: knownPlugins })}`)
      continue
    }
    argFields.reportUnknown(typeOfArgs)
    if (seen.has(name)) entry.warn('name', `is ${name} once more: this entry has no effect`)
    seen.add(name)
  }
  return { evictor: evictors[0] ?? readDefaultEvictor(argsOf(defaultEvictor, undefined)), args }
}

function readPoint(
  plugins: Fields | undefined,
  point: ExtensionPoint,
  configured: Configured,
): readonly EnabledPlugin[] {
  const set = plugins?.object(point)
  if (set === undefined) return []
  if (set.texts('disabled') !== undefined) set.warn('disabled', 'has no effect: a plugin is off unless it is enabled')
  return (set.texts('enabled') ?? []).flatMap((name, index) => {
    const problem = (allowed: string): [] => {
      set.problem(`${set.pathOf('enabled')}[${index}]`, name, allowed)
      return []
    }
    if (!knownPlugins.includes(name)) {
      return problem(`must be a plugin${suggest(name, knownPlugins, { orElse: pluginsAt(point) })}`)
    }
    if (!pluginsAt(point).includes(name)) return problem(`belongs under ${pointsOf(name).join(' and ')}`)
    if (!isPluginName(name)) return []
    const args = configured.args.get(name)
    if (args === undefined) return problem('needs an entry in pluginConfig, which may be without args')
    return [{ name, args } as EnabledPlugin]
  })
}

function pointsOf(plugin: string): readonly ExtensionPoint[] {
  return isPluginName(plugin) ? [pluginForms[plugin].extensionPoint] : ['filter', 'preevictionfilter']
}

function pluginsAt(point: ExtensionPoint): readonly string[] {
  return knownPlugins.filter((plugin) => pointsOf(plugin).includes(point))
}
