import { accessSync, constants } from 'node:fs'
import { NodeError } from './errors.ts'

/** The system refused an operation on a file or a folder. */
export class FileError extends NodeError {
  override readonly code = 'FILE'
}

type Fault = { said: string; hint: string }

const permission = 'Give this user the permission, or run the command as the user who owns it.'

/** Meaning of the system's codes, and a hint for the operator. */
const faults: Readonly<Record<string, Fault>> = {
  ENOENT: { said: 'does not exist', hint: 'Correct the path.' },
  EACCES: { said: 'may not be used by this user', hint: permission },
  EPERM: { said: 'may not be changed by this user', hint: permission },
  EROFS: { said: 'is on a disk that is read-only', hint: 'Make the disk writable, or name a folder on another.' },
  EISDIR: { said: 'is a folder', hint: 'Name a file, or move the folder away.' },
  ENOTDIR: { said: 'has a file where a folder should be', hint: 'Correct the path, or move the file away.' },
  EEXIST: { said: 'already exists', hint: 'Name another one, or move it away.' },
  ENOTEMPTY: { said: 'is not empty', hint: 'Name another one, or move it away.' },
  ELOOP: { said: 'is a symbolic link that leads back to itself', hint: 'Remove the link.' },
  ENAMETOOLONG: { said: 'has too long a name', hint: 'Name a shorter path.' },
  EMFILE: { said: 'is one open file too many', hint: 'Raise the limit of open files (ulimit -n).' },
  EIO: { said: 'cannot be read from its disk or written to it', hint: 'Check the disk before anything else.' },
  EBUSY: { said: 'is in use', hint: 'Stop the program that uses it.' },
}

/** Translates an error of the file system into a {@link FileError}; returns any other error unchanged. */
export function asFileError(error: unknown): unknown {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (!(error instanceof Error) || code === undefined || path === undefined || syscall === undefined) return error
  const { said, hint } = faults[code] ?? { said: 'cannot be used', hint: 'Check it, and its disk.' }
  return new FileError(`${path} ${said} (${syscall}: ${code}).`, { hint, cause: error })
}

/** Why this process cannot work in a folder: it does not exist, or may not be read or written. Null if it can. */
export function faultOfFolder(path: string): Error | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return asFileError(error) as Error
  }
}
