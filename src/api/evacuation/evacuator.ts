import Type from 'typebox'
import { rules, type Rule } from '../schema/rule.ts'
import { dnsSubdomain, integer, type Described } from '../schema/schema.ts'

export const evacuatorLimits = {
  /** One of these slots is the controller's. */
  evacuatorsMax: 100,
  priorityMin: 0,
  priorityMax: 100_000,
  controllerPriority: 10_000,
  roleLengthMax: 63,
} as const

export const controllerRole = 'controller'

/** Without it an annotation value and a list of roles could not be read without quoting. */
export const rolePattern = '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$'

interface Ranked {
  priority: number
  role?: string
}

const isController = ({ role }: Ranked) => role === controllerRole

export const evacuatorRules = {
  controllerHasItsPriority: {
    rule: `!has(self.role) || self.role != '${controllerRole}' || self.priority == ${evacuatorLimits.controllerPriority}`,
    message: `the role ${controllerRole} goes with priority ${evacuatorLimits.controllerPriority} and no other`,
    fieldPath: '.priority',
    holds: (self) => !isController(self) || self.priority === evacuatorLimits.controllerPriority,
  },
  priorityIsTheControllers: {
    rule: `self.priority != ${evacuatorLimits.controllerPriority} || (has(self.role) && self.role == '${controllerRole}')`,
    message: `priority ${evacuatorLimits.controllerPriority} is reserved for the role ${controllerRole}`,
    fieldPath: '.priority',
    holds: (self) => isController(self) || self.priority !== evacuatorLimits.controllerPriority,
  },
} satisfies Record<string, Rule<Ranked>>

export const evacuatorListRules = {
  oneController: {
    rule: `self.filter(e, has(e.role) && e.role == '${controllerRole}').size() <= 1`,
    message: `only one evacuator may have the role ${controllerRole}`,
    holds: (self) => self.filter(isController).length <= 1,
  },
  lastSlotIsTheControllers: {
    rule: `self.size() < ${evacuatorLimits.evacuatorsMax} || self.exists(e, has(e.role) && e.role == '${controllerRole}')`,
    message: `the last of the ${evacuatorLimits.evacuatorsMax} slots is reserved for the role ${controllerRole}`,
    holds: (self) => self.length < evacuatorLimits.evacuatorsMax || self.some(isController),
  },
} satisfies Record<string, Rule<readonly Ranked[]>>

export const evacuatorSchema = Type.Object(
  {
    evacuatorClass: dnsSubdomain('DNS subdomain that identifies the evacuator, such as deployment.apps.k8s.io.'),
    priority: integer({
      description:
        'Higher priorities act first. The controller of the pod has 10000, so that others can register before it or after it.',
      minimum: evacuatorLimits.priorityMin,
      maximum: evacuatorLimits.priorityMax,
    }),
    role: Type.Optional(
      Type.String({
        description:
          'A hint for other evacuators. "controller" is reserved for the controller of the pod; any other word is free to use.',
        minLength: 1,
        maxLength: evacuatorLimits.roleLengthMax,
        pattern: rolePattern,
        allowed: 'a word of up to 63 letters, digits, "-", "_" and "."',
      }),
    ),
  },
  {
    description: 'A component that knows how to get the pod off its node gracefully, or does a part of it.',
    ...rules(evacuatorRules.controllerHasItsPriority, evacuatorRules.priorityIsTheControllers),
  },
)

export type Evacuator = Described<typeof evacuatorSchema>

/** Highest priority first, ties by class name. Total: no two evacuators of a pod share a class. */
export function byPriorityThenClass(a: Readonly<Evacuator>, b: Readonly<Evacuator>): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  if (a.evacuatorClass === b.evacuatorClass) return 0
  return a.evacuatorClass < b.evacuatorClass ? -1 : 1
}
