import type { Option } from '../../apps/server/src/config/option.ts';
import { OPTIONS } from '../../apps/server/src/config/options.ts';

/** The table of the server's settings as Markdown. */
export function renderServerSettings(): string {
  const rows = Object.values<Option>(OPTIONS).map((option) => {
    const fallback = defaultOf(option);
    const shown = fallback === '' ? '' : `\`${fallback}\``;
    const flag = option.isVariableOnly ? '' : `\`--${option.flag}\``;
    return `| ${flag} | \`${option.env}\` | ${shown} | ${option.description.replaceAll(/[|<*]/g, '\\$&')} |`;
  });
  return ['| Flag | Variable | Default | |', '|---|---|---|---|', ...rows].join('\n');
}

/** What the setting is when it isn't given, as it would be typed; empty for none. */
function defaultOf({ schema }: Option): string {
  const value = schema.parse(undefined);
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object'
    ? Object.entries(value ?? {})
        .map((pair) => pair.join('='))
        .join(',')
    : String(value);
}
