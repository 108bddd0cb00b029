import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test, vi } from 'vitest'

import { type ProcessRequest, systemFiles, systemProcesses } from './system-files.ts'

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'lifeboat-files-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

describe('files', () => {
  test('reads text', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'token')
    await writeFile(path, 'größe\n')
    expect(await systemFiles.readText(path)).toBe('größe\n')
  })

  test('rejects as Node does', async () => {
    await using folder = await temporaryFolder()
    await expect(systemFiles.readText(join(folder.path, 'none'))).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(systemFiles.readText(folder.path)).rejects.toMatchObject({ code: 'EISDIR' })
  })

  test('refuses a file that nobody would write by hand', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'huge')
    await writeFile(path, '')
    await truncate(path, 17 * 1024 * 1024)
    await expect(systemFiles.readText(path)).rejects.toMatchObject({ code: 'EFBIG' })
  })
})

describe('processes', () => {
  const request = (script: string, options: Partial<ProcessRequest> = {}): ProcessRequest => ({
    command: process.execPath,
    args: ['-e', script],
    environment: { ONLY: 'this' },
    outputBytesMax: 1_000,
    signal: new AbortController().signal,
    ...options,
  })

  test('collects both outputs and the exit code', async () => {
    const result = await systemProcesses.run(
      request('process.stdout.write("out"); process.stderr.write("err"); process.exitCode = 3'),
    )
    expect(result).toEqual({ kind: 'exited', code: 3, stdout: 'out', stderr: 'err' })
  })

  test('passes the environment as given, without a terminal', async () => {
    const script = 'console.log(process.env.ONLY, process.env.HOME, require("fs").readFileSync(0, "utf8").length)'
    const result = await systemProcesses.run(request(script))
    expect(result).toMatchObject({ kind: 'exited', code: 0, stdout: 'this undefined 0\n' })
  })

  test('tells a command that is not there', async () => {
    expect(await systemProcesses.run(request('', { command: 'lifeboat-no-such-command' }))).toEqual({
      kind: 'notFound',
    })
  })

  test('tells a file that is no command', async () => {
    await using folder = await temporaryFolder()
    const command = join(folder.path, 'plain')
    await writeFile(command, 'text', { mode: 0o600 })
    expect(await systemProcesses.run(request('', { command }))).toEqual({ kind: 'notStarted', problem: 'EACCES' })
  })

  test('ends a process that talks too much', async () => {
    const result = await systemProcesses.run(request('for (;;) console.log("x".repeat(1000))'))
    expect(result).toEqual({ kind: 'tooMuchOutput' })
  })

  test('tells who ended it', async () => {
    const result = await systemProcesses.run(request('process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 9e4)'))
    expect(result).toEqual({ kind: 'killed', by: 'SIGTERM', stderr: '' })
  })

  test('an abort ends the process and rejects with its reason', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'pid')
    const script = 'fs.writeFileSync(process.argv[1], String(process.pid)); setTimeout(() => {}, 9e4)'
    const abort = new AbortController()
    const running = systemProcesses.run(request('', { args: ['-e', script, path], signal: abort.signal }))
    const pid = await vi.waitFor(async () => {
      const text = await systemFiles.readText(path)
      expect(text).not.toBe('')
      return Number(text)
    }, 10_000)
    abort.abort(new Error('too long'))
    await expect(running).rejects.toThrow('too long')
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 10_000)
  }, 20_000)

  test('an aborted signal starts nothing', async () => {
    const signal = AbortSignal.abort(new Error('before'))
    await expect(systemProcesses.run(request('', { signal }))).rejects.toThrow('before')
  })
})
