import { createHash } from 'node:crypto'
import type { CodeTest } from '../../environment.ts'

/** Standard input of a program, and what it has to print. */
export type Sample = { readonly input: string; readonly output: string }

/** The code and tests that check a program; white space between the words of its output does not matter. */
export function checkProgram(program: string, samples: readonly Sample[]): { code: string; tests: CodeTest[] } {
  const tests = samples.map(({ input, output }) => ({
    expression: `_run(${pythonText(input)})`,
    expected: `'${hashOf(output)}'`,
  }))
  return { code: harness(program), tests }
}

/** JSON's texts are valid in Python, except for lone surrogates, which the sandbox refuses. */
export const pythonText = (value: string) => JSON.stringify(value)

/**
 * Runs a program on one input. Its output is returned as a hash of its words: a repr of the sandbox has at most 400 bytes, and the program does not
 * know the expected output.
 *
 * Solutions of contests also use files 0 and 1, write when Python ends, or run in a thread for its larger stack: the sandbox has none of these. Its
 * `os.fstat(0).st_size` is 0, so whoever reads as much gets the whole input. A program is the module `__main__`, so that its classes can be pickled.
 * Its variables end with it, since a writer that was not flushed writes then.
 */
const harness = (program: string) => `
import atexit as _atexit, builtins as _builtins, hashlib as _hashlib, io as _io, os as _os, sys as _sys, threading as _threading
_threading.Thread.start = lambda thread: thread.run()
_threading.Thread.join = lambda thread, timeout=None: None
_threading.stack_size = lambda size=0: 0
_os._exit = _sys.exit
_program = compile(${pythonText(program)}, 'program', 'exec')
_names, _open, _read, _write = dict(vars(_builtins)), _io.open, _os.read, _os.write
class _Stream(_io.BytesIO):
    def __init__(self, number, given=b''):
        super().__init__(given)
        self.fileno = lambda: number
    def close(self):
        pass
def _run(given):
    streams = _Stream(0, given.encode()), _Stream(1)
    def open_file(file, mode='r', *more, **named):
        number = {'/dev/stdin': 0, '/dev/stdout': 1}.get(str(file), file)
        if number not in (0, 1):
            return _open(file, mode, *more, **named)
        if 'b' in mode:
            return streams[number]
        text = _io.TextIOWrapper(streams[number], encoding='utf-8', write_through=True)
        text.mode = mode
        return text
    _io.open = open_file
    vars(_builtins).update(_names, open=open_file)
    _os.read = lambda file, size: streams[0].read(size or -1) if file == 0 else _read(file, size)
    _os.write = lambda file, data: streams[1].write(data) if file == 1 else _write(file, data)
    _sys.stdin = _sys.__stdin__ = open_file(0)
    _sys.stdout = _sys.__stdout__ = open_file(1, 'w')
    main = _sys.modules['__main__'] = type(_sys)('__main__')
    _atexit._clear()
    _atexit.register(lambda: _sys.stdout.flush())
    try:
        exec(_program, main.__dict__)
    except SystemExit:
        pass
    _atexit._run_exitfuncs()
    main.__dict__.clear()
    return _hashlib.sha256(b' '.join(streams[1].getvalue().split())).hexdigest()
`

/** As bytes.split: words are separated by ASCII white space. */
const hashOf = (output: string) =>
  createHash('sha256')
    .update(
      output
        .split(/[ \t\n\r\v\f]+/)
        .filter(Boolean)
        .join(' '),
    )
    .digest('hex')
