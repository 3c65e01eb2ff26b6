import { defaultOf, type Option } from './option.ts';
import { OPTIONS } from './options.ts';

/** The server's parsed command line. */
export interface ServerArguments {
  readonly flags: Readonly<Record<string, string>>;
  readonly wantsHelp: boolean;
  readonly wantsConfig: boolean;
}

const SWITCHES: ReadonlySet<string> = new Set(
  Object.values(OPTIONS).flatMap(({ flag, isSwitch }) => (isSwitch ? [flag] : [])),
);
const ON_OFF: ReadonlySet<string | undefined> = new Set(['true', 'false', '1', '0']);

/** Parses `--name value`, `--name=value` and, for a switch, `--name`. Returns a sentence when the arguments are wrong. */
export function readArguments(words: readonly string[]): ServerArguments | { readonly fault: string } {
  const flags: Record<string, string> = {};
  let wantsHelp = false;
  let wantsConfig = false;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    if (word === '--help' || word === '-h') wantsHelp = true;
    else if (word === '--print-config') wantsConfig = true;
    else if (word === '--no-example') flags['example'] = 'false';
    else if (!word.startsWith('--')) return { fault: `"${word}" is not an option; see --help` };
    else {
      const [name, inline] = splitOnce(word.slice(2), '=');
      const isAlone = inline === undefined && SWITCHES.has(name) && !ON_OFF.has(words[i + 1]);
      const value = isAlone ? 'true' : (inline ?? words[++i]);
      if (value === undefined || (inline === undefined && value.startsWith('--'))) {
        return { fault: `--${name} needs a value; see --help` };
      }
      flags[name] = value;
    }
  }
  return { flags, wantsHelp, wantsConfig };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

/** Returns the text of `berth start --settings`: every setting with its default, as in docs/guides/server-settings.md. */
export function helpText(): string {
  const rows = Object.values<Option>(OPTIONS).map((one) => {
    const fallback = defaultOf(one);
    const shown = fallback === '' ? '' : ` [default: ${fallback}]`;
    return [one.isVariableOnly ? '' : `--${one.flag}`, one.env, `${one.description}${shown}`] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length));
  const envWidth = Math.max(...rows.map(([, env]) => env.length));
  return [
    'Berth: a self-hosted cloud for agents and containers.',
    '',
    'Usage: berth start [options]; in the repository, npm start -- [options]',
    '',
    ...rows.map(([flag, env, description]) => `  ${flag.padEnd(width)}  ${env.padEnd(envWidth)}  ${description}`),
    `  ${'--print-config'.padEnd(width)}  ${''.padEnd(envWidth)}  Print every setting, its value and where it came from`,
    `  ${'--help'.padEnd(width)}  ${''.padEnd(envWidth)}  Print this`,
    '',
    'Examples:',
    '  berth start',
    '  berth start --port 9000 --data /srv/berth',
    '  berth start --host 0.0.0.0 --domain apps.example.com',
    '',
  ].join('\n');
}
