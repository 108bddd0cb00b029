import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Option } from 'commander'
import { describe, expect, test } from 'vitest'
import { exitCodeMeanings } from '../src/cli/output/errors.ts'
import { parsePlanFile } from '../src/cli/maintenance/plan-file.ts'
import { buildProgram } from '../src/cli/program.ts'
import { reportOf } from '../src/cli/maintenance/status-report.ts'
import { drainPicture } from '../src/cli/view/drain-picture.ts'
import { buildDrainView } from './build/drain-view.ts'
import { commandWorld } from './build/served-cluster.ts'

// docs/cli.md has every command, flag and exit code of the program, in the words of its help, and no other.

const text = readFileSync(join(import.meta.dirname, '../docs/cli.md'), 'utf8')
const program = buildProgram(commandWorld())
const help = program.createHelp()
const commands = help.visibleCommands(program).filter((command) => command.name() !== 'help')

/** From a heading to the next. */
function section(heading: string): string {
  return text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
}

function rowsOf(part: string): string[] {
  const rows = part.match(/^\| `.*\|$/gm) ?? []
  return rows.map((row) => row.replaceAll(/ +/g, ' '))
}

const row = (option: Option) =>
  `| \`${option.flags}\` | ${help.optionDescription(option).replaceAll('|', String.raw`\|`)} |`
const withoutHelp = (options: readonly Option[]) => options.filter(({ long }) => long !== '--help')
const globals = withoutHelp(help.visibleOptions(program)).map(row)

describe.each(commands.map((command) => ({ name: command.name(), command })))('lifeboat $name', ({ name, command }) => {
  const part = section(`lifeboat ${name}`)

  test('has its section, which begins as its help', () => {
    expect(part).toContain(`: ${command.description()}.`)
  })

  test('has every flag that is not for all commands, and no other', () => {
    const own = withoutHelp(help.visibleOptions(command)).map(row)
    expect(rowsOf(part)).toEqual(own.filter((each) => !globals.includes(each)))
  })
})

test('no command has a section that is not there', () => {
  const headings = Array.from(text.matchAll(/^## lifeboat (.*)$/gm), ([, name]) => name)
  expect(headings).toEqual(commands.map((command) => command.name()))
})

test('flags for all commands stand at the top', () => {
  expect(rowsOf(text.slice(0, text.indexOf('\n## ')))).toEqual(globals)
})

test('exit codes are those of the program', () => {
  expect(rowsOf(section('Exit codes'))).toEqual(
    exitCodeMeanings.map(([code, meaning]) => `| \`${code}\` | ${meaning} |`),
  )
})

test('the plan is one, and the shape is that of status', () => {
  const [, plan = ''] = /```yaml\n([^]*?)```/.exec(section('Drain plans')) ?? []
  expect(parsePlanFile(plan, 'docs/cli.md')).toHaveLength(3)
  const [, json = ''] = /```json\n([^]*?)```/.exec(section('Output for programs')) ?? []
  const blocker = { kind: 'budget', budget: 'cart', healthy: 1, needed: 2 } as const
  const view = buildDrainView({
    name: 'drain-node-1',
    reason: 'OS upgrade',
    beganMs: Date.parse('2026-01-31T12:00:00Z'),
    looks: [{ name: 'node-1', pending: 1, evacuating: 2 }],
    evacuations: [{ pod: 'cart-7', node: 'node-1', blocker }],
  })
  const staticPods = { folder: '/m', parked: ['kube-system/proxy-node-1'], superseded: [], problems: [] }
  const agents = new Map([['node-1', { node: 'node-1', pod: { name: 'agent', uid: 'u' }, bootID: 'b', staticPods }]])
  expect(JSON.parse(json)).toEqual({
    ...reportOf(drainPicture(view, 0), [view.maintenance], agents),
    message: 'Evacuating',
  })
})
