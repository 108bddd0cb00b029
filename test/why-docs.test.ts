import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { blockerKinds, blockerReason } from '../src/api/blocker/blocker.ts'
import type { Phase } from '../src/cli/why/report.ts'

const text = readFileSync(join(import.meta.dirname, '../docs/troubleshooting.md'), 'utf8')
const sections = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((section): [string, string] => {
      const [title = '', ...rest] = section.split('\n')
      return [title, rest.join('\n').split(/^## /m)[0] ?? '']
    }),
)

describe('docs/troubleshooting.md', () => {
  test.each([...new Set(blockerKinds.map((kind) => blockerReason({ kind })))])('explains %s', (reason) => {
    expect(sections.get(reason)?.trim().length ?? 0).toBeGreaterThan(80)
  })

  test('explains no reason that there is not', () => {
    const known = new Set(blockerKinds.map((kind) => blockerReason({ kind })))
    expect([...sections.keys()].filter((title) => !known.has(title))).toEqual([])
  })

  test('leads from a symptom to every reason that somebody has to see to', () => {
    const linked = new Set(Array.from(text.matchAll(/\]\(#([a-z-]+)\)/g), ([, anchor]) => anchor))
    const byThemselves = new Set(['Throttled', 'ControllerTakeOver', 'EvacuatorSilent'])
    const missing = [...sections.keys()].filter((title) => !byThemselves.has(title) && !linked.has(title.toLowerCase()))
    expect(missing).toEqual([])
    const anchors = new Set(
      Array.from(text.matchAll(/^#+ (.*)$/gm), ([, title = '']) => title.toLowerCase().replaceAll(' ', '-')),
    )
    expect([...linked].filter((anchor) => !anchors.has(anchor ?? ''))).toEqual([])
  })

  test('explains every phase', () => {
    const phases: Readonly<Record<Exclude<Phase, 'Blocked' | 'Gone'>, true>> = {
      Terminating: true,
      Evacuating: true,
      Pending: true,
      Held: true,
      Staying: true,
      Unaffected: true,
    }
    for (const phase of Object.keys(phases)) expect(text).toContain(`- **${phase}**: `)
  })
})
