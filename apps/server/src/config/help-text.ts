import { OPTIONS } from './options.ts';

/** Returns the text of `npm start -- --help`. */
export function helpText(): string {
  const rows = Object.values(OPTIONS).map((option) => [`--${option.flag}`, option.env, option.description] as const);
  const width = Math.max(...rows.map(([flag]) => flag.length));
  const envWidth = Math.max(...rows.map(([, env]) => env.length));
  return [
    'Berth: a self-hosted cloud for agents and containers.',
    '',
    'Usage: npm start -- [options]',
    '',
    ...rows.map(([flag, env, description]) => `  ${flag.padEnd(width)}  ${env.padEnd(envWidth)}  ${description}`),
    `  ${'--print-config'.padEnd(width)}  ${''.padEnd(envWidth)}  Print every setting, its value and where it came from`,
    `  ${'--help'.padEnd(width)}  ${''.padEnd(envWidth)}  Print this`,
    '',
    'Examples:',
    '  npm start',
    '  npm start -- --port 9000 --data /srv/berth',
    '  npm start -- --host 0.0.0.0 --domain apps.example.com',
    '',
  ].join('\n');
}
