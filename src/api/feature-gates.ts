/** All on by default: installing Lifeboat is the opt-in. */
export const featureGateDefaults = {
  EvacuationAPI: true,
  EvictionInterception: true,
  PodEvictPolicy: true,
  DeclarativeNodeMaintenance: true,
  NodeMaintenanceAwareDaemonSet: true,
  NodeMaintenanceAwareKubelet: true,
}

export type FeatureGate = keyof typeof featureGateDefaults
export type FeatureGates = Readonly<Record<FeatureGate, boolean>>

export const featureGateNames = Object.keys(featureGateDefaults) as readonly FeatureGate[]

export class FeatureGatesError extends Error {
  override readonly name = 'FeatureGatesError'
}

/** Reads `EvacuationAPI=true,PodEvictPolicy=false`. Gates that are not named keep their default. */
export function parseFeatureGates(text: string): FeatureGates {
  const gates: Record<FeatureGate, boolean> = { ...featureGateDefaults }
  const seen = new Set<FeatureGate>()
  for (const setting of text.split(',').map((part) => part.trim())) {
    if (setting === '') continue
    const [name = '', value, ...rest] = setting.split('=').map((part) => part.trim())
    if (!isFeatureGate(name)) {
      throw new FeatureGatesError(`unknown feature gate ${name}; allowed are ${featureGateNames.join(', ')}`)
    }
    if ((value !== 'true' && value !== 'false') || rest.length > 0) {
      throw new FeatureGatesError(
        `feature gate ${name} is set by "${setting}"; allowed are ${name}=true, ${name}=false`,
      )
    }
    if (seen.has(name)) throw new FeatureGatesError(`feature gate ${name} is set twice`)
    seen.add(name)
    gates[name] = value === 'true'
  }
  return gates
}

/** Whether nodes are maintained: a drain is made of evacuations, so there must be those too. */
export function knowsMaintenances(gates: FeatureGates): boolean {
  return gates.DeclarativeNodeMaintenance && gates.EvacuationAPI
}

/** Whether DaemonSet pods leave nodes under maintenance and stay away: there must be maintenances. */
export function knowsDaemonSets(gates: FeatureGates): boolean {
  return gates.NodeMaintenanceAwareDaemonSet && knowsMaintenances(gates)
}

/** Whether static pods leave nodes under maintenance that have an agent: there must be maintenances. */
export function knowsStaticPods(gates: FeatureGates): boolean {
  return gates.NodeMaintenanceAwareKubelet && knowsMaintenances(gates)
}

function isFeatureGate(name: string): name is FeatureGate {
  return Object.hasOwn(featureGateDefaults, name)
}
