import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { release } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { type Finding, failure, ok, warning } from './finding.ts'

/** Differences between operating systems that matter to a peer. */
export type System = {
  readonly platform: string
  readonly arch: string
  /** Release of the kernel. Windows' subsystem for Linux has its name in it. */
  readonly release: string
  /** Kind of the file system of the peer's folder, as `statfs` numbers it. */
  readonly fileSystem: number
  /** Networking mode of that subsystem: `nat`, `mirrored`, …; null elsewhere, or if it is unknown. */
  readonly wslNetwork: string | null
  /** Whether something keeps a Mac awake. */
  readonly isKeptAwake: boolean
}

/** Platforms that ONNX Runtime has binaries for. */
export const runtimes: readonly string[] = ['darwin-arm64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64']

const GUIDE = 'docs/guides/wsl-and-macos.md'
/** File systems of Windows' disks in the subsystem: 9p, and FUSE for virtiofs. */
const WINDOWS_FILES = [0x01021997, 0x65735546]

export async function describeSystem(data: string): Promise<System> {
  const { platform, arch } = process
  const isWsl = isSubsystem({ platform, release: release() })
  const say = (command: string, ...argv: string[]) =>
    promisify(execFile)(command, argv, { timeout: 5_000 }).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    )
  return {
    ...{ platform, arch, release: release() },
    fileSystem: (await statfs(existingAbove(data))).type,
    wslNetwork: isWsl ? (await say('wslinfo', '--networking-mode')) || null : null,
    isKeptAwake: platform === 'darwin' && /PreventUserIdleSystemSleep\s+1/.test(await say('pmset', '-g', 'assertions')),
  }
}

const isSubsystem = ({ platform, release: kernel }: Pick<System, 'platform' | 'release'>) =>
  platform === 'linux' && /microsoft/i.test(kernel)

/** Warns a peer's operator about properties of the operating system. */
export function checkSystem(system: System): Finding[] {
  const name = `${system.platform}-${system.arch}`
  if (system.platform === 'win32')
    return [failure('system', 'Windows', `Run it in WSL 2, Windows' subsystem for Linux: ${GUIDE}.`)]
  if (!runtimes.includes(name))
    return [failure('system', `${name}, for which ONNX Runtime has no binary`, `Use one of ${runtimes.join(', ')}.`)]
  if (system.platform === 'darwin')
    return system.isKeptAwake
      ? [ok('system', `${name}, kept awake`)]
      : [
          warning(
            'system',
            `${name}, which may go to sleep: then the peer misses its rounds`,
            `Start it by caffeinate -is npx waggle start …, or as a service of launchd: ${GUIDE}.`,
          ),
        ]
  return isSubsystem(system) ? checkSubsystem(system, name) : [ok('system', name)]
}

function checkSubsystem({ release: kernel, fileSystem, wslNetwork }: System, name: string): Finding[] {
  if (!/wsl2|microsoft-standard/i.test(kernel))
    return [
      failure('system', `${name} in WSL 1`, 'Run wsl --set-version NAME 2 in Windows: WSL 1 has no Linux kernel.'),
    ]
  const findings = [ok('system', `${name} in WSL 2`)]
  if (WINDOWS_FILES.includes(fileSystem))
    findings.push(
      failure(
        'folder',
        "on a disk of Windows, where keys cannot be kept from others and the journal's writes are slow",
        'Move it to the disk of Linux, for example ~/peer, and name it with --data.',
      ),
    )
  if (wslNetwork === 'nat')
    findings.push(
      warning(
        'network',
        'behind the address translation of WSL: other peers reach this one only through a relay',
        `Set networkingMode=mirrored in .wslconfig and open the port: ${GUIDE}.`,
      ),
    )
  return findings
}

function existingAbove(path: string): string {
  return existsSync(path) ? path : existingAbove(dirname(path))
}
