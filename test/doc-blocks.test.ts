import { expect, test } from 'vitest'
import { shellBlocks } from './docs/doc-blocks.ts'

const page = `
# A page

\`\`\`sh
first --flag
second
\`\`\`

\`\`\`yaml
kind: Nothing
\`\`\`

<!-- not run: it takes a day -->

\`\`\`sh
third
\`\`\`

- in a list

  \`\`\`sh
  fourth
  \`\`\`
`

test('shell commands are found, in their order, with where they stand', () => {
  expect(shellBlocks(page)).toEqual([
    { line: 5, commands: 'first --flag\nsecond' },
    { line: 16, commands: 'third', notRun: 'it takes a day' },
    { line: 22, commands: '  fourth' },
  ])
})

test('a block without an end is an error and not the rest of the page', () => {
  expect(() => shellBlocks('```sh\nfirst\n')).toThrow('the block that begins in line 1 has no end')
})
