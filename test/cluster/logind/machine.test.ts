import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { LogindMachine } from './machine.ts'

test.skipIf(process.platform !== 'linux')('nothing is started beside the machine, on the real one', async () => {
  const outer = spawn('sh', ['-c', 'sleep 5 & echo ready; wait'], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    await new Promise((resolve) => outer.stdout.once('data', resolve))
    const machine = new LogindMachine('/nonexistent', outer)
    await expect(machine.start('true', [])).rejects.toThrow('the machine shares the namespace mnt with the real one')
  } finally {
    outer.kill('SIGKILL')
  }
})

test.skipIf(process.platform !== 'linux')('nothing is started on a machine that is gone', async () => {
  const outer = spawn('true', { stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise((resolve) => outer.once('exit', resolve))
  await expect(new LogindMachine('/nonexistent', outer).start('true', [])).rejects.toThrow('the machine is gone')
})
