import type { Command } from '../../plan/command.ts';

/**
 * Adapts a tenant's command to this machine: `uv run x`, `poetry run x` and `pipenv run x` run `x` from the environment
 * that the build made, and `python` becomes `python3` if no program is named `python`.
 */
export function adaptPythonCommand(command: Command, hasPython: boolean): Command {
  let { argv } = command;
  if (['uv', 'poetry', 'pipenv'].includes(argv[0] ?? '') && argv[1] === 'run') {
    const first = argv.findIndex((element, index) => index > 1 && !element.startsWith('-'));
    if (first > 0) argv = argv.slice(first);
  }
  if (argv[0] === 'python' && !hasPython) argv = ['python3', ...argv.slice(1)];
  return { ...command, argv };
}
